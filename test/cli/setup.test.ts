import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  installArguments,
  setUpLlama,
  setUpOnnx,
  setUpRecognition,
  setUpSpeech,
} from '../../src/cli/setup.ts';
import { UserError } from '../../src/cli/user-error.ts';
import { packageFile } from '../../src/foundation/files.ts';
import { enginePackage } from '../../src/services/llm/backends/embedded/binding.ts';
import { speechBuild } from '../../src/services/speech/backends/sherpa-runtime.ts';

const shipped = packageFile('optional', 'llama');

describe('what npm is asked for', () => {
  it.each([
    ['linux', 'x64', '@node-llama-cpp/linux-x64'],
    ['linux', 'arm64', '@node-llama-cpp/linux-arm64'],
    ['linux', 'arm', '@node-llama-cpp/linux-armv7l'],
    ['linux', 'riscv64', '@node-llama-cpp/linux-riscv64'],
    ['darwin', 'arm64', '@node-llama-cpp/mac-arm64-metal'],
    ['darwin', 'x64', '@node-llama-cpp/mac-x64'],
    ['win32', 'x64', '@node-llama-cpp/win-x64'],
    ['win32', 'arm64', '@node-llama-cpp/win-arm64'],
  ])(
    '%s %s: the engine that the lockfile pins, nothing compiled, no graphics builds',
    (platform, processor, name) => {
      const words = installArguments(shipped, { platform, processor });
      expect(words).toEqual(expect.arrayContaining(['--ignore-scripts', '--omit=optional', '--no-save']));
      expect(words.at(-1)).toMatch(new RegExp(`^${name}@\\d+\\.\\d+\\.\\d+$`));
    },
  );

  it('is nothing where there is no built engine', () => {
    expect(() => installArguments(shipped, { platform: 'aix', processor: 'ppc64' })).toThrow(
      'there is no built engine for aix on ppc64',
    );
  });

  it('is kept by a lockfile without addresses of registries', () => {
    expect(readFileSync(join(shipped, 'package-lock.json'), 'utf8')).not.toMatch(/https?:\/\/[^"]*\.tgz/);
  });
});

describe('setting up the embedded llama.cpp', () => {
  let folder: string;
  const engine = enginePackage(process.platform, process.arch) ?? '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'limpede-setup-'));
    const packages = {
      'node_modules/node-llama-cpp': { version: '3.22.1' },
      [`node_modules/${engine}`]: { version: '3.22.1' },
    };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** An npm that writes down its arguments and does what the lines say. */
  function pretendNpm(...lines: string[]): { PATH: string } {
    const path = join(folder, 'bin', 'npm');
    mkdirSync(dirname(path));
    writeFileSync(path, ['#!/bin/sh', 'echo "$PWD $*" > arguments', ...lines].join('\n'));
    chmodSync(path, 0o755);
    return { PATH: `${dirname(path)}:/usr/bin:/bin` };
  }

  const installing = (version: string) => [
    `mkdir -p node_modules/node-llama-cpp/dist node_modules/${engine}`,
    `echo '{"version":"${version}"}' > node_modules/node-llama-cpp/package.json`,
    'echo > node_modules/node-llama-cpp/dist/index.js',
    `echo '{}' > node_modules/${engine}/package.json`,
  ];

  it('runs npm in its folder, once', async () => {
    const environment = pretendNpm(...installing('3.22.1'));
    expect(await setUpLlama(folder, environment)).toBe(`node-llama-cpp 3.22.1 is installed in ${folder}.`);
    const words = readFileSync(join(folder, 'arguments'), 'utf8');
    expect(words.trim().startsWith(`${folder} install `)).toBe(true);
    expect(words.trim().endsWith(`${engine}@3.22.1`)).toBe(true);
    rmSync(join(folder, 'arguments'));
    expect(await setUpLlama(folder, environment)).toContain('installed already');
    expect(() => readFileSync(join(folder, 'arguments'))).toThrow();
  });

  it('tells when npm fails, or installed something else', async () => {
    const failing = pretendNpm('exit 7');
    await expect(setUpLlama(folder, failing)).rejects.toThrow('npm ended with 7');
    rmSync(join(folder, 'bin'), { recursive: true });
    const old = pretendNpm(...installing('3.0.0'));
    await expect(setUpLlama(folder, old)).rejects.toBeInstanceOf(UserError);
  });
});

describe.each([
  {
    kind: 'onnx',
    main: 'onnxruntime-node',
    others: ['@huggingface/tokenizers'],
    setUp: setUpOnnx,
  },
  {
    kind: 'speech',
    main: 'sherpa-onnx-node',
    others: [speechBuild(process.platform, process.arch) ?? ''],
    setUp: setUpSpeech,
  },
])('setting up the runtime of $kind models', ({ kind, main, others, setUp }) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'limpede-setup-'));
    const packages = { [`node_modules/${main}`]: { version: '1.30.0' } };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function pretendNpm(version: string): { PATH: string } {
    const path = join(folder, 'bin', 'npm');
    mkdirSync(dirname(path), { recursive: true });
    const lines = [main, ...others].flatMap((name) => [
      `mkdir -p node_modules/${name}`,
      `echo '{"version":"${version}"}' > node_modules/${name}/package.json`,
    ]);
    writeFileSync(path, ['#!/bin/sh', 'echo "$PWD $*" > arguments', ...lines].join('\n'));
    chmodSync(path, 0o755);
    return { PATH: `${dirname(path)}:/usr/bin:/bin` };
  }

  it('runs npm in its folder, once, without scripts', async () => {
    const environment = pretendNpm('1.30.0');
    expect(await setUp(folder, environment)).toBe(`${main} 1.30.0 is installed in ${folder}.`);
    expect(readFileSync(join(folder, 'arguments'), 'utf8')).toContain(`${folder} ci --ignore-scripts`);
    rmSync(join(folder, 'arguments'));
    expect(await setUp(folder, environment)).toContain('installed already');
    expect(() => readFileSync(join(folder, 'arguments'))).toThrow();
  });

  it('says so when npm installed another version', async () => {
    await expect(setUp(folder, pretendNpm('1.0.0'))).rejects.toThrow(UserError);
  });

  it('is kept by a lockfile without addresses of registries', () => {
    const lock = readFileSync(packageFile('optional', kind, 'package-lock.json'), 'utf8');
    expect(lock).not.toMatch(/https?:\/\/[^"]*\.tgz/);
  });
});

describe('setting up recognition', () => {
  const PACKAGES = [
    '@vladmandic/human',
    'nsfwjs',
    '@tensorflow/tfjs-core',
    '@tensorflow/tfjs-backend-wasm',
    '@tensorflow/tfjs-converter',
  ];

  it('runs npm in its folder without scripts, and says so when not all came', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'limpede-setup-'));
    try {
      const packages = { 'node_modules/@vladmandic/human': { version: '3.3.6' } };
      writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
      const path = join(folder, 'bin', 'npm');
      mkdirSync(dirname(path), { recursive: true });
      const npm = (names: readonly string[]) => {
        const lines = names.map(
          (name) =>
            `mkdir -p node_modules/${name}; echo '{"version":"3.3.6"}' > node_modules/${name}/package.json`,
        );
        writeFileSync(path, ['#!/bin/sh', 'echo "$*" > arguments', ...lines].join('\n'));
        chmodSync(path, 0o755);
      };
      const environment = { PATH: `${dirname(path)}:/usr/bin:/bin` };
      npm(PACKAGES.slice(1));
      await expect(setUpRecognition(folder, environment)).rejects.toThrow('npm installed nothing usable');
      npm(PACKAGES);
      expect(await setUpRecognition(folder, environment)).toContain('3.3.6 is installed in');
      expect(readFileSync(join(folder, 'arguments'), 'utf8')).toContain('ci --ignore-scripts');
      expect(await setUpRecognition(folder, environment)).toContain('installed already');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is kept by a lockfile without addresses of registries', () => {
    const lock = readFileSync(packageFile('optional', 'recognition', 'package-lock.json'), 'utf8');
    expect(lock).not.toMatch(/https?:\/\/[^"]*\.tgz/);
  });
});
