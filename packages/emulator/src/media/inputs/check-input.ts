import { mediaEssence } from '../../core/oracle.ts'
import type { MediaChoices } from '../choices.ts'
import type { InputProblem, InputRule, MediaInput, MediaKind, TransferWay, MediaUpload } from '../model.ts'
import { readDataUri } from './data-uri.ts'
import { IMAGE_TYPES, INPUT_LIMITS_MB, LONGEST_INPUT_URL } from './limits.ts'
import { imageTypeOf } from './signature.ts'

/** What inputs are judged with. */
export interface InputTools {
  choices: MediaChoices
  /** Takes `http:` and IP addresses too, for inputs on the same machine. */
  allowLocalInputs: boolean
  /** An upload of the organization that asks. */
  findUpload(uri: string, organization: string): MediaUpload | undefined
}

/** What is known of a file that an input stands for. */
interface Content {
  mediaType: string
  /** What counts towards the limit, in bytes. */
  size: number
  /** Its first bytes, where the emulator has them. */
  head?: Uint8Array
}

/**
 * Judges an input by the documented rules: the form of its address, what is said when it is fetched, its type and
 * its size.
 */
export async function checkInput(
  input: MediaInput,
  organization: string,
  tools: InputTools,
): Promise<InputProblem | undefined> {
  const { choices } = tools
  const way = wayOf(input.value, choices.uploads.scheme)
  const problem = (rule: InputRule, reason: string): InputProblem => ({
    field: input.field,
    way: way ?? 'url',
    rule,
    reason: `${input.field} ${reason}`,
  })
  if (!way) return problem('address', 'must be an HTTPS URL, a data URI or the URI of an upload')

  const content = await readContent(input, organization, way, tools)
  if ('rule' in content) return problem(content.rule, content.reason)
  const { mediaType, head } = content
  const kind = kindOf(mediaType)
  if (!kind || !input.kinds.includes(kind))
    return problem('type', `must be ${input.kinds.join(' or ')}, not ${mediaType}`)
  const isTaken =
    (kind !== 'image' || IMAGE_TYPES.includes(mediaType)) &&
    choices.acceptsInput({ field: input.field, kind, mediaType, isDataUri: way === 'data-uri' })
  if (!isTaken)
    return problem(
      'type',
      `is ${mediaType}, which is not taken${kind === 'image' ? '; send JPEG, PNG or WebP' : ''}`,
    )
  if (kind === 'image' && head && imageTypeOf(head) !== mediaType)
    return problem('type', `says that it is ${mediaType}, but its first bytes are not those of one`)
  const limitMb = INPUT_LIMITS_MB[kind][way]
  if (content.size > limitMb * choices.inputSizes.megabyteBytes)
    return problem('size', `has ${content.size} bytes; by ${way} ${kind} may have ${limitMb} MB`)
  return undefined
}

function wayOf(value: string, uploadScheme: string): TransferWay | undefined {
  const text = value.toLowerCase()
  if (text.startsWith('data:')) return 'data-uri'
  if (text.startsWith(`${uploadScheme}://`)) return 'upload'
  return /^https?:\/\//.test(text) && URL.canParse(value) ? 'url' : undefined
}

type Broken = { rule: InputRule; reason: string }

function readContent(
  input: MediaInput,
  organization: string,
  way: TransferWay,
  tools: InputTools,
): Content | Broken | Promise<Content | Broken> {
  const { choices } = tools
  if (way === 'data-uri') {
    const read = readDataUri(input.value)
    if ('problem' in read) return { rule: 'data-uri', reason: read.problem }
    const { mediaType, head } = read
    return {
      mediaType,
      head,
      size: choices.inputSizes.dataUri === 'encoded' ? read.encodedSize : read.decodedSize,
    }
  }
  if (way === 'upload') {
    const content = tools.findUpload(input.value, organization)?.content
    return content
      ? { mediaType: mediaEssence(content.contentType), size: content.sizeBytes, head: content.head }
      : { rule: 'upload', reason: 'is no upload that has its content and has not expired' }
  }
  return checkAddress(input.value, tools.allowLocalInputs) ?? fetchHead(input, choices)
}

/** The rules that the URL itself shows. */
function checkAddress(value: string, allowLocalInputs: boolean): Broken | undefined {
  const { protocol, hostname } = new URL(value)
  if (value.length > LONGEST_INPUT_URL)
    return { rule: 'url-length', reason: `has ${value.length} characters; ${LONGEST_INPUT_URL} are allowed` }
  if (allowLocalInputs) return undefined
  if (protocol !== 'https:') return { rule: 'https', reason: 'must be an HTTPS URL' }
  // The URL parser writes every spelling of an IPv4 address as four numbers.
  if (hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname))
    return { rule: 'domain-name', reason: 'must have a domain name, not an IP address' }
  return undefined
}

/** The rules that show when the file is asked for with HEAD. */
async function fetchHead(input: MediaInput, choices: MediaChoices): Promise<Content | Broken> {
  let response: Response
  try {
    response = await choices.headInput(input.value, input.kinds[0] ?? 'image')
  } catch (error) {
    return { rule: 'head', reason: `could not be fetched: ${String(error)}` }
  }
  const { status, headers } = response
  if (response.redirected || (status >= 300 && status < 400))
    return { rule: 'redirect', reason: 'redirects; redirects are not followed' }
  if (!response.ok) return { rule: 'head', reason: `answers HEAD with ${status}` }
  const mediaType = mediaEssence(headers.get('content-type') ?? '')
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType))
    return { rule: 'content-type', reason: 'is answered without a valid Content-Type' }
  const length = headers.get('content-length') ?? ''
  if (!/^\d+$/.test(length))
    return { rule: 'content-length', reason: 'is answered without a valid Content-Length' }
  return { mediaType, size: Number(length) }
}

function kindOf(mediaType: string): MediaKind | undefined {
  const [type] = mediaType.split('/')
  return type === 'image' || type === 'video' || type === 'audio' ? type : undefined
}
