/** The forms of a service's name. */
export interface ServiceNames {
  /** `weather-stations`, for folders, packages and the command line. */
  readonly name: string
  /** `WeatherStations`, for the client and its types. */
  readonly Name: string
  /** `weatherStations`, for the member of the emulator. */
  readonly camel: string
  /** `WEATHER_STATIONS`, for constants. */
  readonly UPPER: string
  /** `weather stations`, for sentences. */
  readonly words: string
  /** `Weather stations`, for the start of a title. */
  readonly Words: string
}

/** Names that a service can't have: members of an emulator that aren't services, and JavaScript's reserved words. */
const RESERVED = new Set(
  [
    'clock close control core cors log random seed serve test',
    'await break case catch class const default delete do else enum export extends false finally for function if',
    'import in instanceof interface let new null package private protected public return static super switch this',
    'throw true try typeof var void while with yield',
  ].flatMap((line) => line.split(' ')),
)

export function namesOf(name: string): ServiceNames {
  const parts = name.split('-')
  if (!parts.every((part) => /^[a-z][a-z0-9]*$/.test(part)) || name.length > 40)
    throw new Error(
      `${JSON.stringify(name)} can't be the name of a service. Use up to 40 lowercase letters, digits and hyphens, for example weather-stations. Each word must begin with a letter.`,
    )
  if (name.endsWith('-validators') || RESERVED.has(name))
    throw new Error(
      `${name} can't be the name of a service, because it already has another meaning. Choose another name.`,
    )
  const Name = parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('')
  const words = parts.join(' ')
  return {
    name,
    Name,
    camel: Name.charAt(0).toLowerCase() + Name.slice(1),
    UPPER: parts.join('_').toUpperCase(),
    words,
    Words: words.charAt(0).toUpperCase() + words.slice(1),
  }
}

/**
 * Fills in a template: replaces `{{name}}`, `{{Name}}` and so on. Keeps the text between `{{#part}}` and `{{/part}}`
 * only if the service has that part. These marks can be on lines of their own.
 */
export function fill(
  template: string,
  values: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, boolean>> = {},
): string {
  const choose = (_: string, part: string, text: string): string => {
    const isKept = parts[part]
    if (isKept === undefined) throw new Error(`a template has the unknown part ${part}`)
    return isKept ? text : ''
  }
  return template
    .replaceAll(/^\{\{#(\w+)\}\}\n([^]*?)^\{\{\/\1\}\}\n/gm, choose)
    .replaceAll(/\{\{#(\w+)\}\}(.*?)\{\{\/\1\}\}/g, choose)
    .replaceAll(/\{\{([^}]*)\}\}/g, (mark, key: string) => {
      const value = values[key]
      if (value === undefined) throw new Error(`a template has the unknown placeholder ${mark}`)
      return value
    })
}
