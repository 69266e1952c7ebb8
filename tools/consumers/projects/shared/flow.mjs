// The calls that every consumer makes: an upload, a wait, an error, a sign-in and live audio, to the served emulator
// whose URLs are in the environment.

/** Returns the URLs and credentials of the served emulator. */
export const served = () => JSON.parse(process.env.CONCORD_SERVED)

/** Polls every few milliseconds, because the emulator's jobs take no longer. */
export const polling = { job: { firstDelayMs: 20, minDelayMs: 20 } }

function assert(condition, message) {
  if (!condition) throw new Error(message)
}

/** Uploads a document and reads its result; then asks for a job that doesn't exist. */
export async function extract({ Extraction, ApiError }, { baseUrl, apiKey }, file, options = {}) {
  const extraction = new Extraction({ baseUrl, apiKey, polling, ...options })
  const submitted = await extraction.submit({ file })
  const done = await submitted.wait()
  assert(done.status === 'completed', `the job ended as ${done.status}`)
  assert((await done.text()).length > 0, 'the result has no text')
  const missing = { path: { job_id: '00000000-0000-4000-8000-000000000000' } }
  const error = await extraction.api.getJob(missing).catch((caught) => caught)
  assert(ApiError.is(error) && error.status === 404, `expected a 404, got ${String(error)}`)
  await extraction.close()
}

/** Reads the organization of a media account. */
export async function organization({ Media }, { baseUrl, apiSecret }, options = {}) {
  const media = new Media({ baseUrl, apiSecret, ...options })
  assert((await media.organization()) !== undefined, 'no organization')
  await media.close()
}

/** Signs in and lists the keys of the account. */
export async function signIn({ StorageAuth }, { authUrl, dataUrl, email, password }, options = {}) {
  const storage = new StorageAuth({ authUrl, dataUrl, ...options })
  const session = await storage.signIn({ email, password })
  assert(Array.isArray(await session.apiKeys.list()), 'no list of keys')
  await storage.close()
}

/** Sends live audio and waits for the first event. */
export async function listen({ Speech }, { apiUrl, agentUrl, apiKey }, options = {}) {
  const speech = new Speech({ apiUrl, agentUrl, apiKey, ...options })
  const live = await speech.listen({ model: 'nova-3' }, { containerized: true })
  await live.sendAudio(new Uint8Array(64_000))
  for await (const event of live) {
    assert(event.type === 'event', `expected an event, got ${event.type}`)
    break
  }
  await live.close()
  await speech.close()
}

/** The flow of each service. The client of any other service is only created and closed. */
const flows = {
  extraction: (exported, service, { file, options }) => extract(exported, service, file, options),
  media: (exported, service, { options }) => organization(exported, service, options),
  storageAuth: (exported, service, { options }) => signIn(exported, service, options),
  speech: (exported, service, { options }) => listen(exported, service, options),
}

/** Creates the client of a service that has no flow here. */
async function create(exported, name, { baseUrl, apiKey }, options) {
  const Client = exported[name.charAt(0).toUpperCase() + name.slice(1)]
  const client = new Client({ baseUrl, apiKey, ...options })
  assert(Object.keys(client.api).length > 0, `the client of ${name} has no operations`)
  await client.close()
}

/**
 * Uses one service.
 *
 * @param clients the exports of `clients.mjs`: of the client package of each service
 * @param service its URLs and credentials
 * @param with.file the document to extract
 * @param with.options more options of the client
 */
export async function use(clients, name, service, { file, options = {} } = {}) {
  const exported = clients[name]
  assert(exported !== undefined, `the emulator serves ${name}, which has no client package`)
  const flow = flows[name]
  await (flow ? flow(exported, service, { file, options }) : create(exported, name, service, options))
}

/** Uses all services that the emulator serves. */
export async function useAll(clients, services, file) {
  for (const [name, service] of Object.entries(services)) await use(clients, name, service, { file })
}
