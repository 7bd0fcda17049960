declare module 'html-encoding-sniffer' {
  /** Name of the encoding by byte order mark, transport label, meta prescan, default; in this order. */
  export default function sniff(
    bytes: Uint8Array,
    options?: { transportLayerEncodingLabel?: string; defaultEncoding?: string },
  ): string;
}
