// Installs the packages when the lockfile changed, with nothing but Node's own modules. Runs before start and test.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = join(root, 'node_modules');
const stampFile = join(packages, '.limpede-stamp');
const lockFile = join(root, '.limpede-install.lock');
const OLDEST_NODE = [20, 19];
const TRIES = 3;
const WAIT_MS = 300;
/** An install that takes longer than this is stuck. */
const INSTALL_LIMIT_MS = 10 * 60_000;

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  console.error(`Limpede needs Node ${OLDEST_NODE.join('.')} or later; this is ${process.versions.node}.`);
  process.exit(1);
}

/** What the installed packages depend on: the lockfile, the platform and the binary interface. */
function stamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256')
    .update(lock)
    .update(`${process.platform} ${process.arch} ${process.versions.modules}`)
    .digest('hex');
}

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp();
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** npm empties the folder before it installs, and through a link that would be the folder of somebody else. */
function refuseLink() {
  if (lstatSync(packages, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  console.error(
    `${packages} is a symbolic link: installing would empty the folder that it points to. Remove the link, or copy the folder in its place.`,
  );
  process.exit(1);
}

/** Takes the lock; false when another install is running. A lock of a dead process is taken over. */
function takeLock() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const holder = Number(readFileSync(lockFile, 'utf8') || '0');
    if (holder !== 0 && isAlive(holder)) return false;
    rmSync(lockFile, { force: true });
    return takeLock();
  }
}

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** npm as it was started, or the one beside node. */
function npm(args) {
  const env = { ...process.env };
  for (const name of ['NODE_ENV', 'npm_config_omit', 'npm_config_production', 'npm_config_ignore_scripts'])
    delete env[name];
  const path = process.env.npm_execpath;
  const [command, first] =
    path?.endsWith('.js') || path?.endsWith('.cjs') ? [process.execPath, [path]] : ['npm', []];
  return spawnSync(command, [...first, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 2, 2],
    timeout: INSTALL_LIMIT_MS,
  });
}

function install() {
  console.error('Installing packages; this happens once.');
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const { status } = npm([
      'ci',
      '--include=dev',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ]);
    if (status === 0) {
      mkdirSync(packages, { recursive: true });
      writeFileSync(stampFile, stamp());
      return;
    }
    console.error(`The installation failed (try ${attempt} of ${TRIES}).`);
  }
  process.exit(1);
}

requireNode();
if (!isInstalled()) refuseLink();
while (!isInstalled()) {
  if (!takeLock()) {
    sleep(WAIT_MS);
    continue;
  }
  try {
    if (!isInstalled()) install();
  } finally {
    rmSync(lockFile, { force: true });
  }
}
