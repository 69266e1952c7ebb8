import { readForm } from '../core/read-form.ts'
import { chooseSuccess } from '../core/handle-operation.ts'
import { success, type Reply } from '../core/reply.ts'
import type { Page, PageCall } from '../core/service.ts'
import { mediaEssence } from '../core/request-body.ts'
import type { MediaContext } from './state.ts'
import { imageTypeOf, LARGEST_UPLOAD_MB } from './inputs/formats.ts'
import { serveBytes } from './outputs/serve-bytes.ts'
import { deny } from './denials.ts'

const HEAD_BYTES = 64
const UNKNOWN_TYPE = 'application/octet-stream'

/** Creates the endpoints for uploads and for downloads of output files. These endpoints need no credentials. */
export function mediaPages(context: MediaContext): Page[] {
  const { outputLinks, uploads, sizes } = context.choices
  return [
    ...(['GET', 'HEAD'] as const).map((method) => ({
      name: 'page:output',
      method,
      path: outputLinks.path,
      handle: (call: PageCall) => serveOutput(call, context),
    })),
    ...uploads.methods.map((method) => ({
      name: 'page:upload',
      method: method as Page['method'],
      path: uploads.path,
      bodyLimitBytes: LARGEST_UPLOAD_MB * sizes.megabyteBytes,
      takesBytes: true,
      handle: (call: PageCall) => takeUpload(call, context),
    })),
  ]
}

function serveOutput(call: PageCall, { choices, outputs }: MediaContext): Reply {
  const { parameters, query, headers, method } = call
  const opened = outputs.open(parameters['task'] ?? '', parameters['file'] ?? '', query)
  if (opened.kind !== 'found') return deny(choices, opened.kind)
  const { output, createdAt } = opened
  output.requests++
  if (headers.has('authorization') || headers.has('x-service-version')) output.requestsWithCredentials++
  return serveBytes({ ...output.file, changedAt: createdAt }, headers, method)
}

async function takeUpload(call: PageCall, { choices, uploads }: MediaContext): Promise<Reply> {
  const { method, parameters, headers, body } = call
  const upload = uploads.byToken(parameters['token'] ?? '')
  if (!upload) return deny(choices, 'upload-not-found')
  if (uploads.isExpired(upload)) return deny(choices, 'upload-expired')
  if (body.kind === 'too-large') return deny(choices, 'upload-too-large', { limit: LARGEST_UPLOAD_MB })
  const bytes = body.kind === 'other' ? body.bytes : new Uint8Array()
  const sentType = headers.get('content-type')
  const contentType = sentType ?? imageTypeOf(bytes.subarray(0, HEAD_BYTES)) ?? UNKNOWN_TYPE
  const file = await choices.readUpload({
    method,
    contentType,
    // A form that can't be parsed counts as empty.
    ...(mediaEssence(contentType) === 'multipart/form-data'
      ? { form: await readForm(bytes, contentType).catch(() => new FormData()) }
      : { bytes }),
  })
  if (!file || file.size === 0) return deny(choices, 'upload-empty')
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  upload.content = { contentType: file.type || UNKNOWN_TYPE, sizeBytes: file.size, head }
  return chooseSuccess('page:upload', success(204, upload, undefined), choices)
}
