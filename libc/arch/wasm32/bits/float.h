/* SPDX-License-Identifier: BSD-2-Clause */
/* long double is IEEE binary128; the compiler knows its figures. */
#define FLT_EVAL_METHOD 0

#define LDBL_TRUE_MIN __LDBL_DENORM_MIN__
#define LDBL_MIN      __LDBL_MIN__
#define LDBL_MAX      __LDBL_MAX__
#define LDBL_EPSILON  __LDBL_EPSILON__

#define LDBL_MANT_DIG 113
#define LDBL_MIN_EXP  (-16381)
#define LDBL_MAX_EXP  16384

#define LDBL_DIG	33
#define LDBL_MIN_10_EXP (-4931)
#define LDBL_MAX_10_EXP 4932

#define DECIMAL_DIG 36
