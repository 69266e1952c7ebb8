import type { Issue } from '../core/errors.ts'
import { toJson } from '../core/json.ts'
import type { UploadBody } from './compose.ts'
import { type Field, mediaTypeFor } from './form-field.ts'
import { toText } from './path.ts'
import { isReactNative } from './transport.ts'

/** A file of a device, as the pickers of React Native return it. Its name and media type are sent if they are known. @public */
export interface PickedFile {
  readonly uri: string
  readonly name?: string | null | undefined
  readonly type?: string | null | undefined
}

/** Returns whether a value is a file of a device: only React Native can read it, by its own FormData and `fetch`. */
export function isPicked(value: unknown): value is PickedFile {
  if (typeof value !== 'object' || value === null || !('uri' in value)) return false
  const { uri, name, type } = value as Record<string, unknown>
  const isText = (one: unknown): boolean => one === undefined || one === null || typeof one === 'string'
  return typeof uri === 'string' && isText(name) && isText(type)
}

/** The reason why a file of a device can't be sent here. */
export const NEEDS_REACT_NATIVE =
  'is a file of React Native ({ uri, name, type }), which only React Native can read; here, pass the path of a file, bytes, a Blob or a stream'

/** Returns a form with files of a device, which the host writes itself. */
export function pickedForm(fields: readonly Field[]): UploadBody | readonly Issue[] {
  const entries = fields.map(toEntry)
  const issues = entries.filter((entry) => 'reason' in entry)
  if (issues.length > 0) return issues
  return pickedBody(() => {
    const form = new FormData()
    for (const entry of entries) if ('name' in entry) form.append(entry.name, entry.value as string)
    return form
  })
}

/** Returns a body that is one file of a device. */
export function pickedContent({ uri }: PickedFile): UploadBody {
  return pickedBody(async () => (await fetch(uri)).blob())
}

/** Returns the name of a file of a device: its own, or the end of its address. */
function nameOf({ uri, name }: PickedFile): string {
  return name ?? uri.split(/[/\\]/).at(-1)?.split('?')[0] ?? 'file'
}

function toEntry({ name, value, descriptor, place }: Field): { name: string; value: unknown } | Issue {
  if (isPicked(value)) {
    if (!isReactNative()) return { path: place, reason: NEEDS_REACT_NATIVE }
    const filename = nameOf(value)
    const type = value.type ?? mediaTypeFor(filename, descriptor?.contentTypes ?? [])
    return { name, value: { uri: value.uri, name: filename, type } }
  }
  if (descriptor?.kind === 'file')
    return {
      path: place,
      reason: 'can be sent beside a file of React Native only as { uri, name, type } too',
    }
  const isJson = descriptor?.kind === 'json' || (typeof value === 'object' && !(value instanceof Date))
  const text = isJson ? toJson(value) : (toText(value) ?? '')
  if (typeof text !== 'string') return { path: place, ...text }
  // React Native's FormData takes the type of a text like this.
  const isTyped = descriptor?.kind === 'json'
  return { name, value: isTyped ? { string: text, type: 'application/json' } : text }
}

/** Returns a body that the host reads itself, as often as it has to. */
function pickedBody(native: () => FormData | Promise<Blob>): UploadBody {
  return {
    sizeBytes: undefined,
    failure: undefined,
    onTaken: undefined,
    replayable: () => true,
    release: () => undefined,
    native,
    open: () => {
      throw new TypeError('A file of React Native can only be sent by `fetchTransport()`.')
    },
  }
}
