/** Scheme and authority of a request line in absolute form, which a proxy-minded client may send. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** Without one of these no segment can climb. */
const CLIMBING = /[.%\\]/;

function isDotSegment(segment: string): boolean {
  const decoded = decodeURIComponent(segment);
  return decoded.split(/[/\\]/).some((part) => part === '.' || part === '..');
}

/**
 * The path and query to ask a service for, with the first `stripped` segments taken off; undefined when the path climbs
 * (`..`, in any spelling) or cannot be decoded. Letters stay as they were sent.
 */
export function targetPath(requestTarget: string, stripped: number): string | undefined {
  const [target = ''] = requestTarget.replace(ORIGIN, '').split('#');
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? '' : target.slice(mark);
  const segments = path.split('/').slice(1);
  try {
    if (CLIMBING.test(path) && segments.some(isDotSegment)) return undefined;
  } catch {
    return undefined;
  }
  return `/${segments.slice(stripped).join('/')}${query}`;
}
