/**
 * Writes the sample documents in this folder. The output is the same each time.
 *
 * Run: node make-documents.ts           writes the files
 *      node make-documents.ts --check   fails if a file differs from the generated content
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

import { makeInvoice } from './make-invoice.ts'
import { makeReceipt } from './make-receipt.ts'

const files: Record<string, Uint8Array> = {
  'invoice.pdf': await makeInvoice(),
  'receipt.png': makeReceipt(),
}

const differing: string[] = []
for (const [name, bytes] of Object.entries(files)) {
  const path = new URL(name, import.meta.url)
  const isSame = existsSync(path) && readFileSync(path).equals(bytes)
  if (isSame) continue
  differing.push(name)
  if (!process.argv.includes('--check')) writeFileSync(path, bytes)
}

if (differing.length === 0) console.log('The sample documents are up to date.')
else if (!process.argv.includes('--check')) console.log(`Written: ${differing.join(', ')}`)
else {
  console.error(`Out of date: ${differing.join(', ')}. Run node examples/documents/make-documents.ts.`)
  process.exitCode = 1
}
