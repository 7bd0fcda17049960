const warn = console.warn;
// oidc-provider warns at import on every Node before 22; it works on Node 20, where our tests run, so the warning is dropped.
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...words);
};
const library = await import('oidc-provider');
console.warn = warn;

/** The OIDC library, loaded without that warning. */
export const { errors, Provider } = library;
