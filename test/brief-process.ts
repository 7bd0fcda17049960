/**
 * V8 compiles what runs often a second time, for speed: JavaScript after 132 KB of executed bytecode, functions of the embedded database
 * after 1.8 MB of theirs. In programs that run for seconds, and in tests, which run most things a few times, that takes a third of the
 * processor time and does not pay. With these arguments it begins later; what is computed is the same.
 */
export const BRIEF_PROCESS: readonly string[] = [
  '--interrupt-budget=1000000',
  '--wasm-tiering-budget=500000000',
];
