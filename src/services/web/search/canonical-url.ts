/** Parameters that only say where a reader came from. */
const TRACKING = /^(utm_\w+|fbclid|gclid|dclid|msclkid|yclid|mc_[ce]id|igshid|ref_src|_ga|_gl|cmpid|spm)$/i;

/** The key by which two addresses of one page are known as one: without tracking, AMP, fragment, default port and order. */
export function pageKey(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) return address;
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name);
  url.searchParams.delete('amp');
  url.searchParams.sort();
  const host = url.hostname.replace(/^(www|amp|m|mobile)\./, '');
  const path = url.pathname.replace(/\/amp\/?$/, '/').replace(/\/(index\.(html?|php))?$/, '');
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${host}${port}${path}${url.search}`;
}

/** Whether a host lies in a list of sites: each covers the names below it. */
export function isOnSite(address: string, sites: readonly string[]): boolean {
  const host = URL.canParse(address) ? new URL(address).hostname.toLowerCase() : '';
  return sites.some((site) => {
    const name = siteName(site);
    return name !== '' && (host === name || host.endsWith(`.${name}`));
  });
}

/** The host that the name of a site means: an address, or a name with or without www. */
function siteName(site: string): string {
  const address = /^[a-z]+:\/\//i.test(site) ? site : `http://${site}`;
  return URL.canParse(address) ? new URL(address).hostname.toLowerCase().replace(/^www\./, '') : '';
}
