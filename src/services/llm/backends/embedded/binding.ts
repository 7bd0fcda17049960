import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The npm packages that carry the built engine without GPU parts, by platform and processor. */
const PACKAGES: Readonly<Record<string, string>> = {
  'linux x64': '@node-llama-cpp/linux-x64',
  'linux arm64': '@node-llama-cpp/linux-arm64',
  'linux arm': '@node-llama-cpp/linux-armv7l',
  'linux riscv64': '@node-llama-cpp/linux-riscv64',
  'darwin arm64': '@node-llama-cpp/mac-arm64-metal',
  'darwin x64': '@node-llama-cpp/mac-x64',
  'win32 x64': '@node-llama-cpp/win-x64',
  'win32 arm64': '@node-llama-cpp/win-arm64',
};

/** The binding itself. */
export const BINDING = 'node-llama-cpp';

/** The package that carries the engine for a machine; undefined when there is none. */
export function enginePackage(platform: string, processor: string): string | undefined {
  return PACKAGES[`${platform} ${processor}`];
}

/** Entry of the binding below the folder where it was installed. */
export function bindingEntry(folder: string): string {
  return join(folder, 'node_modules', BINDING, 'dist', 'index.js');
}

/** Whether the binding and the engine of this machine are installed below a folder. */
export function isInstalled(folder: string): boolean {
  const engine = enginePackage(process.platform, process.arch);
  return (
    engine !== undefined &&
    existsSync(bindingEntry(folder)) &&
    existsSync(join(folder, 'node_modules', ...engine.split('/'), 'package.json'))
  );
}
