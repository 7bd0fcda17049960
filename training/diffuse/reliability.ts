import type { Scored } from '../metrics.ts';

const SIZE = 320;
const EDGE = 40;
const BINS = 10;

/** A reliability diagram: mean probability of each tenth against the share that was true; areas go with the number of rows. */
export function reliabilityDiagram(title: string, rows: readonly Scored[]): string {
  const place = (share: number) => EDGE + share * (SIZE - 2 * EDGE);
  const bins = Array.from({ length: BINS }, (_, bin) =>
    rows.filter(({ score }) => Math.min(BINS - 1, Math.floor(score * BINS)) === bin),
  );
  const dots = bins.flatMap((bin) => {
    if (bin.length === 0) return [];
    const mean = bin.reduce((sum, { score }) => sum + score, 0) / bin.length;
    const right = bin.filter(({ truth }) => truth).length / bin.length;
    const radius = Math.max(2, 24 * Math.sqrt(bin.length / rows.length));
    const label = `${bin.length} rows: said ${mean.toFixed(2)}, true ${right.toFixed(2)}`;
    return [
      `<circle cx="${place(mean).toFixed(1)}" cy="${(SIZE - place(right)).toFixed(1)}" r="${radius.toFixed(1)}"><title>${label}</title></circle>`,
    ];
  });
  const ticks = [0, 0.5, 1].map(
    (share) =>
      `<text x="${place(share)}" y="${SIZE - 22}" text-anchor="middle">${share}</text><text x="${EDGE - 8}" y="${SIZE - place(share) + 4}" text-anchor="end">${share}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" font-family="sans-serif" font-size="11" role="img">
<title>${title}: probability said against share true, ${rows.length} rows</title>
<rect width="${SIZE}" height="${SIZE}" fill="#fff"/>
<path d="M${EDGE} ${EDGE}V${SIZE - EDGE}H${SIZE - EDGE}" fill="none" stroke="#444"/>
<path d="M${EDGE} ${SIZE - EDGE}L${SIZE - EDGE} ${EDGE}" stroke="#999" stroke-dasharray="4"/>
<g fill="#0b6e4f" fill-opacity="0.6">${dots.join('')}</g>
<g fill="#222">${ticks.join('')}<text x="${SIZE / 2}" y="20" text-anchor="middle">${title}</text><text x="${SIZE / 2}" y="${SIZE - 6}" text-anchor="middle">probability said, across; share true, up</text></g>
</svg>
`;
}
