/* SPDX-License-Identifier: Apache-2.0 */
/* CMM_API marks what libcmm exports. Macros do not cross an import, so that every module unit
 * includes this header in its global module fragment. */
#ifndef CMM_EXPORT_H
#define CMM_EXPORT_H

#if defined(CMM_STATIC)
#define CMM_API
#elif defined(_WIN32)
#if defined(cmm_EXPORTS)
#define CMM_API __declspec(dllexport)
#else
#define CMM_API __declspec(dllimport)
#endif
#else
#define CMM_API __attribute__((visibility("default")))
#endif

#endif
