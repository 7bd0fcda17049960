import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Browser } from 'playwright-core';
import type { SandboxChoice } from '../../settings.ts';

/** Where systems keep Chromium and its relatives. */
const KNOWN_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Settings of the browser. */
export interface ChromiumSettings {
  /** Path of the program; undefined: looked for; `none`: no browser. */
  readonly path: string | undefined;
  readonly sandbox: SandboxChoice;
}

/** The browser of this machine, and whether it runs in its sandbox. */
export interface Chromium {
  readonly path: string;
  readonly isSandboxed: boolean;
  /** In words for health and the doctor. */
  readonly words: string;
}

/** Why there is no browser. */
export interface NoChromium {
  readonly absent: string;
}

const isRoot = () => process.getuid?.() === 0;

function sandboxOf(choice: ChromiumSettings['sandbox']): Pick<Chromium, 'isSandboxed' | 'words'> {
  if (choice === 'off')
    return { isSandboxed: false, words: 'without its sandbox, as WEB_CHROMIUM_SANDBOX says' };
  if (choice === 'auto' && isRoot())
    return { isSandboxed: false, words: 'without its sandbox, because root has none; run as another user' };
  return { isSandboxed: true, words: 'in its sandbox' };
}

/** Finds the browser of this machine; `exists` is that of the file system. */
export function findChromium(
  { path, sandbox }: ChromiumSettings,
  exists: (path: string) => boolean = existsSync,
): Chromium | NoChromium {
  if (path === 'none') return { absent: 'switched off by WEB_CHROMIUM' };
  if (path !== undefined && !exists(path)) return { absent: `there is no program at ${path}` };
  const executable = path ?? KNOWN_PLACES.find(exists);
  if (executable === undefined) return { absent: 'no Chromium was found; install one or set WEB_CHROMIUM' };
  const { isSandboxed, words } = sandboxOf(sandbox);
  return { path: executable, isSandboxed, words: `${executable} runs ${words}` };
}

/** The browser resolves no host, sends no packet and calls no vendor service except through the proxy of a page. */
const ARGUMENTS = [
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--dns-prefetch-disable',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-features=WebTransport,AutofillServerCommunication,MediaRouter,OptimizationHints',
  '--no-pings',
  '--disable-dev-shm-usage',
  '--js-flags=--max-old-space-size=256',
];
/** A proxy address without a listener: requests outside the proxy of a page fail. */
const NOWHERE = 'http://127.0.0.1:9';
const LAUNCH_MS = 30_000;
/** On some systems the program is a shell script, which needs a PATH. */
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Starts the browser; it sees none of our environment, where keys may stand. */
export async function launchChromium({ path, isSandboxed }: Chromium): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: path,
    headless: true,
    chromiumSandbox: isSandboxed,
    args: ARGUMENTS,
    proxy: { server: NOWHERE },
    env: { PATH: SYSTEM_PATH, HOME: tmpdir(), LANG: 'C.UTF-8' },
    timeout: LAUNCH_MS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}
