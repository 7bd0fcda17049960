/**
 * The parsed address, or undefined when it is none. Not by URL.canParse: that of Node 20 calls addresses such as
 * https://bücher.de/ unreadable once it has been optimised.
 */
export function parseAddress(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
