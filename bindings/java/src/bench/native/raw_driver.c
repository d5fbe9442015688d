/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's own calls in loops, without cmm: what io.github.cmm.RawDriver measures beside it. */
#include <dlfcn.h>
#include <jni.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    int type, id;
} location;

static int (*prefetch)(uint64_t, size_t, location, unsigned, void *);
static int (*prefetch_batch)(uint64_t *, size_t *, size_t, location *, size_t *, size_t,
                             unsigned long long, void *);
static int (*get_attribute)(void *, size_t, int, uint64_t, size_t);

/* Whether all entry points were found in the library that cmm uses. */
JNIEXPORT jboolean JNICALL Java_io_github_cmm_RawDriver_open(JNIEnv *env, jclass type,
                                                             jstring library) {
    (void)type;
    const char *path = (*env)->GetStringUTFChars(env, library, NULL);
    if (!path)
        return JNI_FALSE;
    void *driver = dlopen(path, RTLD_NOW);
    (*env)->ReleaseStringUTFChars(env, library, path);
    int (*find)(const char *, void *, int, uint64_t, int *) = NULL;
    if (driver)
        *(void **)&find = dlsym(driver, "cuGetProcAddress_v2");
    int found;
    return find && !find("cuMemPrefetchAsync", &prefetch, 12020, 0, &found) && prefetch &&
           !find("cuMemPrefetchBatchAsync", &prefetch_batch, 13000, 0, &found) && prefetch_batch &&
           !find("cuMemRangeGetAttribute", &get_attribute, 8000, 0, &found) && get_attribute;
}

/* Pieces of `bytes` at every second multiple of `bytes` from `address`; the driver's result. */
JNIEXPORT jint JNICALL Java_io_github_cmm_RawDriver_loop(JNIEnv *env, jclass type, jlong address,
                                                         jlong bytes, jint count, jlong stream) {
    (void)env, (void)type;
    const location device = {1, 0};
    int result = 0;
    for (jint i = 0; i < count && !result; ++i)
        result = prefetch((uint64_t)(address + 2 * bytes * i), (size_t)bytes, device, 0,
                          (void *)(uintptr_t)stream);
    return result;
}

JNIEXPORT jint JNICALL Java_io_github_cmm_RawDriver_batch(JNIEnv *env, jclass type, jlong address,
                                                          jlong bytes, jint count, jlong stream) {
    (void)env, (void)type;
    uint64_t addresses[256];
    size_t sizes[256];
    location device = {1, 0};
    size_t first = 0;
    if (count > 256)
        return 1;
    for (jint i = 0; i < count; ++i) {
        addresses[i] = (uint64_t)(address + 2 * bytes * i);
        sizes[i] = (size_t)bytes;
    }
    return prefetch_batch(addresses, sizes, (size_t)count, &device, &first, 1, 0,
                          (void *)(uintptr_t)stream);
}

/* `times` questions in a row. */
JNIEXPORT jint JNICALL Java_io_github_cmm_RawDriver_readMostly(JNIEnv *env, jclass type,
                                                               jlong address, jlong bytes,
                                                               jint times) {
    (void)env, (void)type;
    int result = 0, value = 0;
    for (jint i = 0; i < times && !result; ++i)
        result = get_attribute(&value, sizeof value, 1, (uint64_t)address, (size_t)bytes);
    return result;
}
