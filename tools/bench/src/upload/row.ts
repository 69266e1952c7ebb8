import { fileURLToPath } from 'node:url'

import { checkAnswer, WrongAnswerError } from '../answers.ts'
import { submission } from '../contract.ts'
import { cost, difference } from '../measure/compare.ts'
import { interleave } from '../measure/interleave.ts'
import { spread } from '../measure/stats.ts'
import { startChild } from '../process/child.ts'
import type { Figure, Line } from '../report/figure.ts'
import { CORES, type Extent, type Row, type RowContext } from '../row.ts'
import { API_KEY } from '../server/job-address.ts'
import type { Received } from '../server/received.ts'
import { startServer } from '../server/start-server.ts'
import { stockClient } from '../stock/stock-client.ts'
import { makeUploadFiles, type UploadFile } from './files.ts'
import type { UploadCost } from './worker.ts'

/** The subjects by their names; the first is the base of the ratios. */
const subjects = new Map(
  [
    ['raw undici', './subjects/raw-undici.ts'],
    ['global fetch', './subjects/global-fetch.ts'],
    ['stock client', './subjects/stock-client.ts'],
    ['concord', './subjects/concord.ts'],
  ].map(([name = '', file = '']) => [name, fileURLToPath(new URL(file, import.meta.url))]),
)
const OURS = 'concord'
const MIB = 2 ** 20
/** What a form adds to its file is less than this. */
const FORM_BYTES = 1000

interface Plan {
  readonly rounds: number
  readonly sizeBytes: number
}

const plans: Readonly<Record<Extent, Plan>> = {
  full: { rounds: 9, sizeBytes: 400_000_000 },
  quick: { rounds: 2, sizeBytes: 400_000_000 },
  smoke: { rounds: 1, sizeBytes: 20_000_000 },
}

/** Uploading a large file as a form. */
export const upload: Row = {
  name: 'upload',
  title: 'a large file as multipart/form-data, from a path',
  run: (context) => measureUploads(subjects, plans[context.extent], context),
}

/** The row, for any subjects. The first is the base; the file of all must arrive as it is. */
export async function measureUploads(
  modules: ReadonlyMap<string, string>,
  { rounds, sizeBytes }: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  const { module: stockModule } = await stockClient()
  using files = makeUploadFiles(sizeBytes)
  await using server = startServer('uploads', context)
  const port = await server.ask<number>('port')
  const target = { baseUrl: `http://127.0.0.1:${port}`, apiKey: API_KEY, stockModule }

  const measureOnce = async (name: string, subject: string): Promise<UploadCost> => {
    const file = fileURLToPath(new URL('./worker.ts', import.meta.url))
    const nodeOptions = ['--expose-gc']
    await using worker = startChild(file, { core: context.pin ? CORES.subject : undefined, nodeOptions })
    await worker.ask('connect', { subject, target })
    checkAnswer(name, await worker.ask('upload', files.small.path), submission())
    checkReceived(name, files.small, await server.ask<Received>('last'))
    const measured = await worker.ask<UploadCost>('measure', files.large.path)
    checkReceived(name, files.large, await server.ask<Received>('last'))
    return measured
  }
  const results = await interleave(
    new Map([...modules].map(([name, subject]) => [name, () => measureOnce(name, subject)])),
    rounds,
    (done) => context.progress.tell(`upload: round ${done + 1} of ${rounds}`),
  )

  const column = (value: (cost: UploadCost) => number) =>
    [...results].map(([subject, costs]) => ({ subject, values: costs.map(value) }))
  const size = `${sizeBytes / 1e6} MB`
  return [
    {
      title: `${size}: time`,
      meaning: 'beside raw undici, less is better',
      unit: 'ms',
      rounds,
      lines: toLines(
        column(({ elapsedMs }) => elapsedMs),
        cost,
      ),
      targets: [{ direction: 'at most', limit: 1.15, of: 'compared' }],
      notes: [],
    },
    {
      title: `${size}: extra peak memory`,
      meaning: 'over what the process had before; MiB more than raw undici, less is better',
      unit: 'MiB',
      rounds,
      lines: toLines(
        column(({ extraPeakBytes }) => extraPeakBytes / MIB),
        difference,
      ),
      targets: [
        { direction: 'at most', limit: 8, of: 'compared' },
        { direction: 'at most', limit: 70, of: 'value' },
      ],
      notes: [],
    },
  ]
}

/** @throws WrongAnswerError when not the whole file arrived. */
function checkReceived(subject: string, { path, sizeBytes, sha256 }: UploadFile, received: Received): void {
  const { bodyBytes, file } = received
  const whole =
    received.path === '/v1/process' &&
    bodyBytes > sizeBytes &&
    bodyBytes < sizeBytes + FORM_BYTES &&
    (file === undefined || (file.sha256 === sha256 && path.endsWith(`/${file.name}`)))
  if (!whole)
    throw new WrongAnswerError(`${subject} did not upload ${path} whole: ${JSON.stringify(received)}`)
}

function toLines(
  columns: readonly { readonly subject: string; readonly values: readonly number[] }[],
  compare: typeof cost,
): Line[] {
  const base = columns[0]?.values ?? []
  return columns.map(({ subject, values }) => ({
    subject,
    ours: subject === OURS,
    value: spread(values),
    compared: compare(values, base),
  }))
}
