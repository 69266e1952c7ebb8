// The packages through `require`.
const assert = require('node:assert/strict')
const { readdirSync, readFileSync } = require('node:fs')
const { Extraction, OptionsError } = require('@concord/extraction')
const { createClient } = require('@concord/runtime')
const { job } = require('@concord/extraction-validators')
const { createEmulator } = require('@concord/emulator')

const clients = require('../shared/clients.cjs')
const { use } = require('../shared/flow.cjs')

assert.throws(
  () => new Extraction({}),
  (error) => OptionsError.is(error) && error.option === 'baseUrl',
)
assert.equal(typeof createClient, 'function')
assert.equal(job.safeParse({}).success, false)
async function main() {
  // One copy of each package, whichever way it is loaded.
  const modules = '../node_modules/@concord'
  for (const name of readdirSync(modules)) {
    const { exports } = JSON.parse(readFileSync(`${modules}/${name}/package.json`, 'utf8'))
    const modulePaths = Object.keys(exports).filter((path) => exports[path].require !== undefined)
    for (const path of modulePaths) {
      const entry = `@concord/${name}${path.slice(1)}`
      const imported = await import(entry)
      for (const [key, value] of Object.entries(require(entry)))
        assert.equal(imported[key], value, `${key} of ${entry}`)
    }
  }
  const emulator = await createEmulator({
    extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
  })
  const served = await emulator.serve()
  for (const name of Object.keys(clients)) await use(clients, name, served[name], { file: 'receipt.png' })
  await emulator.close()
  console.log('all good')
}
void main()
