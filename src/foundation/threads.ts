/**
 * For threads that are ended while they may still be starting: their modules are loaded by `import`. Node ends the whole process when a
 * thread is ended in the middle of a `require` of an ES module, which is what the pool tries first.
 */
export const THREAD_ARGUMENTS = ['--no-experimental-require-module'];
