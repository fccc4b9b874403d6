/* Written by `train` from sweep.csv: not to be edited. */
/* 0: length <= 1375, 40 settings */
{LENGTH, 1375, 1, 10, {0, 5.22, 9.75}},
/* 1: same <= 1.025, 30 settings */
{SAME, 1.025, 2, 7, {0, 3.55, 6.34}},
/* 2: lane <= 1.73, 24 settings */
{LANE, 1.73, 3, 4, {0, 4.21, 6.14}},
/* 3: leaf, 6 settings */
{LENGTH, 0, 0, 0, {0, 5.76, 7.97}},
/* 4: length <= 299.55, 18 settings */
{LENGTH, 299.55, 5, 6, {0, 3.69, 5.53}},
/* 5: leaf, 14 settings */
{LENGTH, 0, 0, 0, {0, 3.34, 4.86}},
/* 6: leaf, 4 settings */
{LENGTH, 0, 0, 0, {0, 4.91, 7.86}},
/* 7: lane <= 2.235, 6 settings */
{LANE, 2.235, 8, 9, {0, 0.92, 7.17}},
/* 8: leaf, 3 settings */
{LENGTH, 0, 0, 0, {0, -1.41, 6.87}},
/* 9: leaf, 3 settings */
{LENGTH, 0, 0, 0, {0, 3.25, 7.47}},
/* 10: length <= 3324.35, 10 settings */
{LENGTH, 3324.35, 11, 14, {0, 10.22, 19.98}},
/* 11: lane <= 6.065, 6 settings */
{LANE, 6.065, 12, 13, {0, 7.84, 15.10}},
/* 12: leaf, 3 settings */
{LENGTH, 0, 0, 0, {0, 5.72, 14.97}},
/* 13: leaf, 3 settings */
{LENGTH, 0, 0, 0, {0, 9.96, 15.23}},
/* 14: leaf, 4 settings */
{LENGTH, 0, 0, 0, {0, 13.79, 27.30}},
