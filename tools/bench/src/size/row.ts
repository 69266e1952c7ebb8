import { limits } from '../../../check/src/published/limits.ts'
import { type BundleSize, bundleSize } from '../../../check/src/published/sizes.ts'
import type { Figure } from '../report/figure.ts'
import { OURS, toFigure } from '../report/to-figure.ts'
import type { Row } from '../row.ts'
import { stockClient } from '../stock/stock-client.ts'

/** What the stock client takes for the same as each of our targets; in their order. */
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
    for (const [index, { what, code, targetBytes }] of limits.entries()) {
      progress.tell(`size: ${what}`)
      const stock = stockCode[index]?.(source)
      const results = new Map([
        ...(stock === undefined ? [] : [['stock client', [await bundleSize(stock)]] as const]),
        [OURS, [await bundleSize(code)]] as const,
      ])
      figures.push(
        toFigure({
          title: what,
          meaning: 'brotli, what is loaded at once; less is better',
          unit: 'KiB',
          results,
          value: ({ brotliBytes }) => brotliBytes / KIB,
          compare: 'none',
          targets: [{ direction: 'at most', limit: targetBytes / KIB, of: 'value' }],
          notes: [...results].flatMap(([subject, sizes]) => sizes.map((size) => describe(subject, size))),
        }),
      )
    }
    return figures
  },
}

const KIB = 1024

function describe(subject: string, { minifiedBytes, gzipBytes, laterBytes }: BundleSize): string {
  return `${subject}: ${(minifiedBytes / KIB).toFixed(1)} KiB minified, ${(gzipBytes / KIB).toFixed(1)} KiB with gzip; ${(laterBytes / KIB).toFixed(1)} KiB (brotli) more when they are used`
}
