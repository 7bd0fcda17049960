const warn = console.warn;
// The library greets every Node before 22 with a warning; on Node 20 it works, and the tests of this service run there.
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...words);
};
const library = await import('oidc-provider');
console.warn = warn;

/** The provider, loaded without its remark about the runtime. */
export const { errors, Provider } = library;
