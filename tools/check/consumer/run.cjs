// The packages are ES modules; Node can `require` them all the same.
const assert = require('node:assert/strict')
const { Extraction, OptionsError } = require('@concord/extraction')
const { createClient } = require('@concord/runtime')
const { job } = require('@concord/extraction-validators')
const { createEmulator } = require('@concord/emulator')

assert.throws(
  () => new Extraction({}),
  (error) => OptionsError.is(error) && error.option === 'baseUrl',
)
assert.equal(typeof createClient, 'function')
assert.equal(job.safeParse({}).success, false)
async function main() {
  const emulator = await createEmulator()
  const extraction = new Extraction({ baseUrl: (await emulator.serve()).extraction.url })
  await extraction.api.listPipelines()
  await extraction.close()
  await emulator.close()
  console.log('all good')
}
void main()
