// The packages through `require`.
const assert = require('node:assert/strict')
const { readdirSync, readFileSync } = require('node:fs')
const { Extraction, OptionsError } = require('@concord/extraction')
const { createClient } = require('@concord/runtime')
const { job } = require('@concord/extraction-validators')
const { createEmulator } = require('@concord/emulator')
const { Media } = require('@concord/media')
const { task } = require('@concord/media-validators')
const { Speech } = require('@concord/speech')
const { configure } = require('@concord/speech-validators')
const { StorageAuth } = require('@concord/storage-auth')
const { fileStore } = require('@concord/storage-auth/node')
const { apiKey } = require('@concord/storage-auth-validators')

assert.throws(
  () => new Extraction({}),
  (error) => OptionsError.is(error) && error.option === 'baseUrl',
)
assert.equal(typeof createClient, 'function')
assert.equal(job.safeParse({}).success, false)
for (const validator of [task, configure, apiKey]) assert.equal(validator.safeParse(7).success, false)
async function main() {
  // One copy of each package, whichever way it is loaded.
  const modules = '../node_modules/@concord'
  for (const name of readdirSync(modules)) {
    const { exports } = JSON.parse(readFileSync(`${modules}/${name}/package.json`, 'utf8'))
    if (exports['.'] === undefined) continue
    const imported = await import(`@concord/${name}`)
    for (const [key, value] of Object.entries(require(`@concord/${name}`)))
      assert.equal(imported[key], value, `${key} of @concord/${name}`)
  }
  const emulator = await createEmulator()
  const served = await emulator.serve()
  const extraction = new Extraction({ baseUrl: served.extraction.baseUrl })
  await extraction.api.listPipelines()
  await extraction.close()
  const media = new Media({ baseUrl: served.media.baseUrl, apiSecret: served.media.apiSecret })
  await media.organization()
  await media.close()
  const { authUrl, dataUrl } = served.storageAuth
  const storage = new StorageAuth({ authUrl, dataUrl, store: fileStore('no-session.json') })
  assert.equal(await storage.resume(), undefined)
  await storage.close()
  const speech = new Speech({ apiUrl: served.speech.apiUrl, apiKey: served.speech.apiKey })
  await (await speech.listen()).close()
  await speech.close()
  await emulator.close()
  console.log('all good')
}
void main()
