import { limits } from '../../../check/src/published/limits.ts'
import { type BundleSize, bundleSize } from '../../../check/src/published/sizes.ts'
import { type Figure, OURS, toFigure } from '../report.ts'
import type { Row } from '../row.ts'
import { stockClient } from '../stock-client.ts'

const KIB = 1024

/** Code that uses the stock client. Each entry corresponds to the entry of `limits` with the same index. */
const STOCK_CODE: readonly ((source: string) => string)[] = [
  (source) => `import { getJob } from ${JSON.stringify(source)}; console.log(getJob)`,
  (source) => `import * as client from ${JSON.stringify(source)}; console.log(client)`,
]

export const size: Row = {
  name: 'size',
  title: 'minified and compressed, for browsers',
  async run({ progress }) {
    const { source } = await stockClient()
    const figures: Figure[] = []
    for (const [index, { what, code, targetBytes }] of limits.entries()) {
      progress(`size: ${what}`)
      const stock = STOCK_CODE[index]?.(source)
      const results = new Map([
        ...(stock === undefined ? [] : [['stock client', [await bundleSize(stock)]] as const]),
        [OURS, [await bundleSize(code)]] as const,
      ])
      figures.push(
        toFigure({
          title: what,
          meaning: 'compressed with brotli, without the code that loads on first use; less is better',
          unit: 'KiB',
          results,
          value: ({ brotliBytes }) => brotliBytes / KIB,
          targets: [{ direction: 'at most', limit: targetBytes / KIB, of: 'value' }],
          notes: [...results].flatMap(([subject, sizes]) => sizes.map((size) => describe(subject, size))),
        }),
      )
    }
    return figures
  },
}

function describe(subject: string, { minifiedBytes, gzipBytes, laterBytes }: BundleSize): string {
  return `${subject}: ${(minifiedBytes / KIB).toFixed(1)} KiB minified, ${(gzipBytes / KIB).toFixed(1)} KiB with gzip; another ${(laterBytes / KIB).toFixed(1)} KiB (with brotli) are loaded on first use`
}
