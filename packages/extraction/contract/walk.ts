import type { DeliveredWebhook, WalkContext, WalkStep } from '@concord/contract'
import {
  dataOf,
  expectBody,
  expectMeaning,
  sendRaw,
  step,
  wrongBodyStep,
  type Served,
} from '@concord/contract-kit'
import { createEmulator, frozenClock, type Emulator } from '@concord/emulator'

import { pdfOf } from './pdf.ts'

/** Serves an emulator and lists the calls to it. Its clock advances only when a step advances it. */
export async function extractionWalk(): Promise<Served> {
  const deliveries: DeliveredWebhook[] = []
  const emulator = await createEmulator({
    clock: frozenClock(),
    seed: 'walk',
    extraction: {
      async webhookFetch(request) {
        const body = new Uint8Array(await request.arrayBuffer())
        deliveries.push({ method: request.method, headers: [...request.headers], body })
        return new Response(null, { status: 200 })
      },
    },
  })
  const { extraction } = await emulator.serve()
  return {
    walk: {
      upstream: extraction.baseUrl,
      credentials: { apiKey: extraction.apiKey },
      steps: new Steps(emulator, deliveries).all(),
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

const unknownUuid = '00000000-0000-4000-8000-000000000000'
const secured = [
  'processDocument',
  'getJob',
  'listBlueprints',
  'getBlueprint',
  'startOptimization',
  'resumeOptimization',
  'getOptimizationJob',
  'getOptimizedSchema',
]
const publicOnes = ['createDeviceCode', 'pollDeviceToken', 'getPreview', 'listPipelines']
const schema = JSON.stringify({
  type: 'object',
  properties: { invoice_number: { type: 'string' }, total: { type: 'number' } },
})
const optimization = {
  name: 'Invoices',
  initial_schema: { type: 'object', properties: { total: { type: 'number' } } },
  training_documents: ['first', 'second'],
  ground_truth_data: [{ total: 12.4 }, { total: 99 }],
  target_accuracy: 95,
  max_iterations: 3,
}
const invoice = (): File =>
  new File([pdfOf('Invoice number: 2026-0173', 'Total: 1284.50')], 'invoice.pdf', { type: 'application/pdf' })

class Steps {
  readonly #emulator: Emulator
  readonly #deliveries: DeliveredWebhook[]
  readonly #blueprintId: string

  constructor(emulator: Emulator, deliveries: DeliveredWebhook[]) {
    this.#emulator = emulator
    this.#deliveries = deliveries
    this.#blueprintId = this.#control.addBlueprint({
      name: 'Invoices',
      schema: { type: 'object', properties: { total: { type: 'number' } } },
      accuracy: 94,
    })
  }

  get #control(): Emulator['extraction']['control'] {
    return this.#emulator.extraction.control
  }

  all(): WalkStep[] {
    return [
      ...this.#successes(),
      ...this.#deniedSubmissions(),
      ...this.#others(),
      ...secured.map((operation) => this.#authentication(operation)),
      ...secured.map((operation) => this.#rateLimit(operation)),
      ...[...secured, ...publicOnes].map((operation) => this.#serverError(operation)),
    ]
  }

  #successes(): WalkStep[] {
    const job = (context: WalkContext, id: string) =>
      context.call({ path: { job_id: id } }, { operation: 'getJob' })
    return [
      step('createDeviceCode', '200', 'with a name', (at) => at.call({ body: { agent_name: 'Walker' } })),
      step('createDeviceCode', '200', 'without a name', (at) => at.call({ body: {} })),
      step('pollDeviceToken', '200', 'pending, approved, and the key once', async (at) => {
        const issued = await this.#deviceCode(at)
        const poll = () => at.call({ body: { device_code: issued.device_code } })
        expectBody(await poll(), { error: 'authorization_pending', api_key: null })
        this.#control.approveDevice(issued.user_code)
        await this.#control.clock.advance(5_000)
        const approved = await poll()
        if (typeof dataOf(approved)['api_key'] !== 'string') throw new Error('the key did not arrive')
        await this.#control.clock.advance(5_000)
        expectBody(await poll(), { api_key: null })
      }),
      step('pollDeviceToken', '200', 'denied', async (at) => {
        const issued = await this.#deviceCode(at)
        this.#control.denyDevice(issued.user_code)
        expectBody(await at.call({ body: { device_code: issued.device_code } }), { error: 'access_denied' })
      }),
      step('pollDeviceToken', '200', 'expired', async (at) => {
        const issued = await this.#deviceCode(at)
        await this.#control.clock.advance(901_000)
        expectBody(await at.call({ body: { device_code: issued.device_code } }), { error: 'expired_token' })
      }),
      step('processDocument', '200', 'text only', async (at) => {
        const id = await this.#submit(at, {})
        await this.#control.completeJob(id)
        await job(at, id)
      }),
      step('processDocument', '200', 'with a blueprint', async (at) => {
        const id = await this.#submit(at, { blueprint_id: this.#blueprintId })
        await this.#control.completeJob(id)
        await job(at, id)
      }),
      step('getJob', '200', 'queued, processing, completed with fields, pages and a webhook', async (at) => {
        const id = await this.#submit(at, {
          schema,
          include_images: 'true',
          webhook_url: 'https://hooks.example/extraction',
        })
        this.#deliveries.length = 0
        for (const status of ['queued', 'processing', 'completed']) {
          expectBody(await job(at, id), { status })
          if (status !== 'completed') await this.#control.advanceJob(id)
        }
        await this.#control.clock.settled()
        if (this.#deliveries.length === 0) throw new Error('no webhook was delivered')
        for (const delivery of this.#deliveries) at.delivered('jobCompleted', delivery)
      }),
      step('getJob', '200', 'failed', async (at) => {
        const id = await this.#submit(at, {})
        await this.#control.failJob(id, 'The file is corrupt and could not be read.')
        expectBody(await job(at, id), { status: 'failed' })
      }),
      step('getPreview', '200', 'of a completed job', async (at) => {
        const id = await this.#submit(at, { include_images: 'true' })
        await this.#control.completeJob(id)
        const token = this.#emulator.extraction.state.jobs.find((one) => one.id === id)?.previewToken
        await at.call({ path: { token } })
      }),
      step('listPipelines', '200', 'both', (at) => at.call({})),
      step('listBlueprints', '200', 'with one blueprint', (at) => at.call({})),
      step('getBlueprint', '200', 'with an active version', (at) =>
        at.call({ path: { blueprint_id: this.#blueprintId } }),
      ),
      step('startOptimization', '200', 'started', (at) => at.call({ body: optimization })),
      step('getOptimizationJob', '200', 'from pending to completed', async (at) => {
        const id = await this.#start(at)
        for (const status of ['pending', 'initializing', 'running']) {
          expectBody(await at.call({ path: { job_id: id } }), { status })
          this.#control.advanceOptimization(id)
        }
        this.#control.endOptimization(id, 'completed')
        expectBody(await at.call({ path: { job_id: id } }), { status: 'completed' })
      }),
      ...(['failed', 'cancelled'] as const).map((status) =>
        step('getOptimizationJob', '200', status, async (at) => {
          const id = await this.#start(at)
          this.#run(id)
          this.#control.endOptimization(id, status)
          expectBody(await at.call({ path: { job_id: id } }), { status })
        }),
      ),
      step('getOptimizedSchema', '200', 'after completion', async (at) => {
        const id = await this.#start(at)
        this.#run(id)
        this.#control.endOptimization(id, 'completed')
        await at.call({ path: { job_id: id } })
      }),
      step('resumeOptimization', '200', 'a failed run (the shape is the emulator’s choice)', async (at) => {
        const id = await this.#start(at)
        this.#run(id)
        this.#control.endOptimization(id, 'failed')
        await at.call({ body: { job_id: id } })
      }),
    ]
  }

  #deniedSubmissions(): WalkStep[] {
    const submit = (body: object, credentials?: { readonly apiKey: string }) => (at: WalkContext) =>
      at.call({ body: { file: invoice(), ...body } }, credentials ? { credentials } : {})
    return [
      step('processDocument', '400', 'an invalid schema', submit({ schema: '{"type":"no such type"}' })),
      step('processDocument', '400', 'an unsupported file type', (at) =>
        at.call({ body: { file: new File(['hello'], 'notes.pdf', { type: 'application/pdf' }) } }),
      ),
      wrongBodyStep('processDocument', '400', 'schema and blueprint_id', async ({ target }) => {
        const form = new FormData()
        form.append('file', invoice())
        form.append('schema', schema)
        form.append('blueprint_id', unknownUuid)
        await post(target, '/v1/process', form)
      }),
      step('processDocument', '413', 'larger than the plan allows', async (at) => {
        const apiKey = this.#control.addKey({ plan: { ...freePlan, maxFileMb: 0.0001 } })
        await submit({}, { apiKey })(at)
      }),
      step('processDocument', '429', 'more pages than the plan allows', async (at) => {
        const apiKey = this.#control.addKey({ plan: { ...freePlan, pagesPerDocument: 0 } })
        expectMeaning(await submit({}, { apiKey })(at), 'page-count')
      }),
      step('processDocument', '429', 'the page quota is used up', async (at) => {
        const apiKey = this.#control.addKey({ plan: 'free' })
        this.#control.setAccount(apiKey, { pagesUsed: 2_000 })
        await submit({}, { apiKey })(at)
      }),
      step('getJob', '404', 'an unknown job', (at) => at.call({ path: { job_id: unknownUuid } })),
    ]
  }

  /** Errors for which the documentation names no status. The emulator chooses one. */
  #others(): WalkStep[] {
    const postJson = (target: WalkContext['target'], path: string, body: unknown) =>
      post(target, path, JSON.stringify(body), { 'content-type': 'application/json' })
    const unavailable = (operation: string) =>
      step(operation, 'default', 'unavailable', async (at) => {
        this.#control.faults.add({ kind: 'status', status: 503, operation, body: { detail: 'Unavailable.' } })
        await at.call(this.#plainInput(operation))
      })
    return [
      wrongBodyStep('createDeviceCode', 'default', 'a request that cannot be read', ({ target }) =>
        postJson(target, '/v1/agent/device/code', { agent_name: 5 }),
      ),
      wrongBodyStep('pollDeviceToken', 'default', 'a request without a code', ({ target }) =>
        postJson(target, '/v1/agent/device/token', {}),
      ),
      step('getPreview', 'default', 'an unknown token', (at) => at.call({ path: { token: 'unknown' } })),
      step('getBlueprint', 'default', 'an unknown blueprint', (at) =>
        at.call({ path: { blueprint_id: unknownUuid } }),
      ),
      step('startOptimization', 'default', 'one document too many', (at) =>
        at.call({ body: { ...optimization, training_documents: ['first', 'second', 'third'] } }),
      ),
      step('resumeOptimization', 'default', 'nothing that can be resumed', (at) =>
        at.call({ body: { nothing: true } }),
      ),
      step('getOptimizationJob', 'default', 'an unknown run', (at) =>
        at.call({ path: { job_id: 'unknown' } }),
      ),
      step('getOptimizedSchema', 'default', 'not ready', async (at) => {
        const id = await this.#start(at)
        await at.call({ path: { job_id: id } })
      }),
      ...['processDocument', 'getJob', 'listPipelines', 'listBlueprints'].map(unavailable),
    ]
  }

  #authentication(operation: string): WalkStep {
    return step(operation, '401', 'an invalid key', (at) =>
      at.call(this.#plainInput(operation), { credentials: { apiKey: 'not-a-key' } }),
    )
  }

  #rateLimit(operation: string): WalkStep {
    return step(operation, '429', 'the request rate', async (at) => {
      const apiKey = this.#control.addKey({ plan: { ...freePlan, requestsPerMinute: 0 } })
      await at.call(this.#plainInput(operation), { credentials: { apiKey } })
    })
  }

  #serverError(operation: string): WalkStep {
    return step(operation, '500', 'an injected fault', async (at) => {
      this.#control.faults.add({ kind: 'status', status: 500, operation })
      await at.call(this.#plainInput(operation))
    })
  }

  /** Returns a valid input, for steps whose response doesn't depend on it. */
  #plainInput(operation: string): Parameters<WalkContext['call']>[0] {
    switch (operation) {
      case 'processDocument':
        return { body: { file: invoice() } }
      case 'pollDeviceToken':
        return { body: { device_code: 'unknown' } }
      case 'createDeviceCode':
      case 'resumeOptimization':
        return { body: {} }
      case 'startOptimization':
        return { body: optimization }
      case 'getBlueprint':
        return { path: { blueprint_id: this.#blueprintId } }
      case 'getPreview':
        return { path: { token: 'unknown' } }
      default:
        return { path: { job_id: unknownUuid } }
    }
  }

  async #deviceCode(at: WalkContext): Promise<{ device_code: string; user_code: string }> {
    return dataOf(await at.call({ body: {} }, { operation: 'createDeviceCode' })) as never
  }

  /** Submits an invoice. Its job advances only when a step advances it. */
  async #submit(at: WalkContext, body: object): Promise<string> {
    this.#control.scriptJobs({ outcome: 'manual' })
    const outcome = await at.call({ body: { file: invoice(), ...body } }, { operation: 'processDocument' })
    return String(dataOf(outcome)['id'])
  }

  async #start(at: WalkContext): Promise<string> {
    return String(dataOf(await at.call({ body: optimization }, { operation: 'startOptimization' }))['job_id'])
  }

  #run(id: string): void {
    this.#control.advanceOptimization(id)
    this.#control.advanceOptimization(id)
  }
}

const freePlan = {
  name: 'small',
  pagesPerMonth: 100,
  maxFileMb: 1,
  pagesPerDocument: 10,
  requestsPerMinute: 100,
}

/** Sends a request that the client would reject. */
async function post(
  target: WalkContext['target'],
  path: string,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<void> {
  const key = path.includes('/agent/') ? {} : { 'x-api-key': target.credentials['apiKey'] ?? '' }
  await sendRaw(target.baseUrl + path, 'POST', { ...key, ...headers }, body)
}
