/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated driver's control functions, for io.github.cmm.Sim of the tests. */
#include <cmm/sim.h>
#include <jni.h>

/* The text's bytes; NULL where an exception is pending. Give them back with drop_text. */
static const char *text_of(JNIEnv *env, jstring text) {
    return (*env)->GetStringUTFChars(env, text, NULL);
}
static void drop_text(JNIEnv *env, jstring text, const char *bytes) {
    (*env)->ReleaseStringUTFChars(env, text, bytes);
}

JNIEXPORT jint JNICALL Java_io_github_cmm_Sim_fault(JNIEnv *env, jclass type, jstring entry,
                                                    jlong nth, jint result) {
    (void)type;
    const char *bytes = text_of(env, entry);
    if (!bytes)
        return -1;
    const int refused = cmm_sim_fault(bytes, (uint64_t)nth, result);
    drop_text(env, entry, bytes);
    return refused;
}

JNIEXPORT jlong JNICALL Java_io_github_cmm_Sim_calls(JNIEnv *env, jclass type, jstring entry) {
    (void)type;
    const char *bytes = text_of(env, entry);
    if (!bytes)
        return -1;
    const size_t calls = cmm_sim_calls(bytes);
    drop_text(env, entry, bytes);
    return (jlong)calls;
}

JNIEXPORT void JNICALL Java_io_github_cmm_Sim_clearFaults(JNIEnv *env, jclass type) {
    (void)env, (void)type;
    cmm_sim_clear_faults();
}

JNIEXPORT void JNICALL Java_io_github_cmm_Sim_recordClear(JNIEnv *env, jclass type) {
    (void)env, (void)type;
    cmm_sim_record_clear();
}

JNIEXPORT void JNICALL Java_io_github_cmm_Sim_hold(JNIEnv *env, jclass type) {
    (void)env, (void)type;
    cmm_sim_hold();
}

JNIEXPORT void JNICALL Java_io_github_cmm_Sim_release(JNIEnv *env, jclass type) {
    (void)env, (void)type;
    cmm_sim_release();
}

JNIEXPORT jlong JNICALL Java_io_github_cmm_Sim_useAfterFreeCount(JNIEnv *env, jclass type) {
    (void)env, (void)type;
    return (jlong)cmm_sim_use_after_free_count();
}

JNIEXPORT jlong JNICALL Java_io_github_cmm_Sim_managedAllocations(JNIEnv *env, jclass type) {
    (void)env, (void)type;
    cmm_sim_live live;
    cmm_sim_live_counts(&live);
    return (jlong)live.managed_allocations;
}

JNIEXPORT jlong JNICALL Java_io_github_cmm_Sim_addressOf(JNIEnv *env, jclass type, jobject direct) {
    (void)type;
    return (jlong)(uintptr_t)(*env)->GetDirectBufferAddress(env, direct);
}
