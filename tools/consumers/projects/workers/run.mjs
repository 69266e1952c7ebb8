// Runs the worker in workerd, with and without Node's modules.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

import { Miniflare } from 'miniflare'

const receipt = readFileSync(new URL('../shared/receipt.png', import.meta.url))
for (const compatibilityFlags of [[], ['nodejs_compat']]) {
  const miniflare = new Miniflare({
    modules: true,
    scriptPath: 'out/worker.mjs',
    compatibilityDate: '2026-01-01',
    compatibilityFlags,
    bindings: { SERVED: process.env.CONCORD_SERVED },
  })
  for (const service of Object.keys(JSON.parse(process.env.CONCORD_SERVED))) {
    const response = await miniflare.dispatchFetch(`http://worker.test/${service}`, {
      method: 'POST',
      body: receipt,
    })
    assert.equal(await response.text(), 'all good', `${service} with ${JSON.stringify(compatibilityFlags)}`)
  }
  await miniflare.dispose()
}
console.log('all good')
