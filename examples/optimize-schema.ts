// Starts an optimization run, follows its progress, and prints the optimized schema.
import { Extraction } from '@concord/extraction'

import { impatient, service } from './support/service.ts'

await using target = await service('extraction')
const { baseUrl, apiKey } = target
await using extraction = new Extraction({ baseUrl, apiKey, polling: impatient.extraction })

const run = await extraction.optimize({
  name: 'Invoices',
  // The documentation doesn't say how documents are transferred, so these strings are sent unchanged.
  training_documents: ['first-invoice', 'second-invoice'],
  ground_truth_data: [
    { invoice_number: 'INV-1', total: 10 },
    { invoice_number: 'INV-2', total: 20 },
  ],
  target_accuracy: 90,
})
for await (const { snapshot } of run) {
  console.log(
    `${snapshot?.status}: ${snapshot?.current_accuracy ?? '-'} % after ${snapshot?.iteration ?? 0} iterations`,
  )
}
const done = await run.wait()
console.log(JSON.stringify(await done.schema(), null, 2))
