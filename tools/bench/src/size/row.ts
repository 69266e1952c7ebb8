import { limits } from '../../../check/src/published/limits.ts'
import { type BundleSize, bundleSize } from '../../../check/src/published/sizes.ts'
import { spread } from '../measure/stats.ts'
import type { Figure, Line } from '../report/figure.ts'
import type { Row } from '../row.ts'
import { stockClient } from '../stock/stock-client.ts'

/** What the stock client takes for the same as each of our limits; in the order of the limits. */
const stockCode: readonly ((source: string) => string)[] = [
  (source) => `import { getJob } from ${JSON.stringify(source)}; console.log(getJob)`,
  (source) => `import * as client from ${JSON.stringify(source)}; console.log(client)`,
]

/** What a client adds to a web page. */
export const size: Row = {
  name: 'size',
  title: 'minified and compressed, for browsers',
  async run({ progress }) {
    const { source } = await stockClient()
    const figures: Figure[] = []
    for (const [index, { what, code, limitBytes }] of limits.entries()) {
      progress.tell(`size: ${what}`)
      const ours = await bundleSize(code)
      const stock = stockCode[index]?.(source)
      const stockSize = stock === undefined ? undefined : await bundleSize(stock)
      figures.push({
        title: what,
        meaning: 'brotli, with all that it needs',
        unit: 'KiB',
        rounds: 1,
        lines: [
          ...(stockSize === undefined ? [] : [toLine('stock client', stockSize)]),
          toLine('concord', ours),
        ],
        targets: [{ direction: 'at most', limit: limitBytes / 1024, of: 'value' }],
        notes: [
          ...(stockSize === undefined ? [] : [describe('stock client', stockSize)]),
          describe('concord', ours),
        ],
      })
    }
    return figures
  },
}

const KIB = 1024

function toLine(subject: string, { brotliBytes }: BundleSize): Line {
  return { subject, ours: subject === 'concord', value: spread([brotliBytes / KIB]) }
}

function describe(subject: string, { minifiedBytes, gzipBytes }: BundleSize): string {
  return `${subject}: ${(minifiedBytes / KIB).toFixed(1)} KiB minified, ${(gzipBytes / KIB).toFixed(1)} KiB with gzip`
}
