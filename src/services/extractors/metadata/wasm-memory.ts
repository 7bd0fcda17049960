/** The section of a module that declares its memories, and what stands before its sections (WebAssembly core specification, 5.5). */
const MEMORY_SECTION = 5;
const PREAMBLE_BYTES = 8;
const HAS_MAXIMUM = 1;

/** A number in the variable length of the format, and where it ends. */
function readNumber(bytes: Uint8Array, from: number): { value: number; end: number } {
  let value = 0;
  for (let end = from, shift = 0; ; end += 1, shift += 7) {
    const byte = bytes[end] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end: end + 1 };
  }
}

function writeNumber(value: number): number[] {
  const rest = Math.floor(value / 0x80);
  return rest === 0 ? [value] : [(value % 0x80) | 0x80, ...writeNumber(rest)];
}

/** A module whose one memory may grow to no more than a number of pages of 64 KiB: it declares none, and would take all. */
export function withMostPages(module: Buffer, pages: number): Buffer {
  for (let at = PREAMBLE_BYTES; at < module.length; ) {
    const { value: size, end: content } = readNumber(module, at + 1);
    if (module[at] !== MEMORY_SECTION) {
      at = content + size;
      continue;
    }
    const count = readNumber(module, content);
    const minimum = readNumber(module, count.end + 1);
    const section = [
      ...writeNumber(count.value),
      HAS_MAXIMUM,
      ...writeNumber(minimum.value),
      ...writeNumber(pages),
    ];
    return Buffer.concat([
      module.subarray(0, at),
      Buffer.from([MEMORY_SECTION, ...writeNumber(section.length), ...section]),
      module.subarray(content + size),
    ]);
  }
  throw new Error('the module has no memory of its own');
}
