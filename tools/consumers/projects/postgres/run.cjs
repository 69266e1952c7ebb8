// Fleets through `require`, and one copy of the package beside `import`. DATABASE_URL is an empty database.
const assert = require('node:assert/strict')
const { setTimeout: sleep } = require('node:timers/promises')
const { createEmulator } = require('@concord/emulator')
const { Media } = require('@concord/media')
const { createFleet, DatabaseError, mediaService, migrate, postgresSemaphore } = require('@concord/postgres')
const { Pool } = require('pg')

async function main() {
  const imported = await import('@concord/postgres')
  assert.equal(imported.createFleet, createFleet)
  assert.equal(imported.DatabaseError, DatabaseError)
  const connectionString = process.env.DATABASE_URL
  const pool = new Pool({ connectionString })
  assert.ok((await migrate(pool)) > 0)
  const semaphore = postgresSemaphore(pool, { name: 'few', capacity: 2 })
  const lease = await semaphore.acquire()
  lease[Symbol.dispose]()
  await semaphore.settled()

  const emulator = await createEmulator({
    media: { choices: { courseOf: () => ({ pendingMs: 1, runningMs: 1 }) } },
  })
  const served = await emulator.serve()
  const media = new Media({ baseUrl: served.media.baseUrl, apiSecret: served.media.apiSecret })
  const results = []
  const images = mediaService(media, {
    sink: (task) => void results.push(task.id),
    limits: { submit: semaphore },
    firstDelay: 10,
    minDelay: 10,
  })
  const fleet = createFleet({ connectionString, services: { images } })
  const request = { model: 'gen4_image_turbo', promptText: 'a boat' }
  await fleet.images.enqueue([
    { operation: 'textToImage', request },
    { operation: 'textToImage', request },
  ])
  const stop = new AbortController()
  const working = fleet.work({ signal: stop.signal })
  while (results.length < 2) await sleep(20)
  stop.abort()
  await working
  assert.equal((await fleet.status()).batches[0].phases.done, 2)
  await fleet.close()
  await semaphore.settled()
  await Promise.all([media.close(), emulator.close(), pool.end()])
  console.log('all good')
}
void main()
