import { type Json, type JsonObject, isList } from '../read/json.ts'

/** The text of a documentation comment for a schema or a parameter; undefined when there is nothing to say. */
export function docText(raw: JsonObject): string | undefined {
  const parts = [
    text(raw['title']),
    text(raw['description']),
    raw['default'] === undefined
      ? undefined
      : `The service's default: \`${JSON.stringify(raw['default'])}\`.`,
    notShown(raw['x-not-shown']),
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join('\n\n')
}

/** The text of a documentation comment for something with a summary, or else a title, and a description. */
export function aboutText(raw: JsonObject): string | undefined {
  const head = text(raw['summary']) ?? text(raw['title'])
  const parts = [
    head === undefined ? undefined : sentence(head),
    text(raw['description']),
    notShown(raw['x-not-shown']),
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join('\n\n')
}

function sentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`
}

/** The list of what the service's documentation leaves open at a place. */
export function notShown(list: Json | undefined): string | undefined {
  if (!isList(list) || list.length === 0) return undefined
  return ['Not shown by the documentation of the service:', ...list.map((line) => `- ${String(line)}`)].join(
    '\n',
  )
}

/** A text of the contract, ready for a comment; undefined when it is none. */
export function text(value: Json | undefined): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return value.trim().replaceAll('*/', '*\\/')
}
