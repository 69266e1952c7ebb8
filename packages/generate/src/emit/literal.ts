/** Code that is printed unchanged inside a literal. */
export class Code {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const width = 110

/** Prints plain data as a TypeScript literal: on one line if it fits, or else with one member per line. */
export function printLiteral(value: unknown, indent = '', used = 0): string {
  const line = printLine(value)
  if (indent.length + used + line.length <= width || !isComposite(value)) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map((item) => `${inner}${printLiteral(item, inner)},`)
    return ['[', ...items, `${indent}]`].join('\n')
  }
  const members = entries(value).map(([name, member]) => {
    const key = printKey(name)
    return `${inner}${key}: ${printLiteral(member, inner, key.length + 3)},`
  })
  return ['{', ...members, `${indent}}`].join('\n')
}

/** Prints a string as a TypeScript literal. */
export function printText(value: string): string {
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function printLine(value: unknown): string {
  if (value instanceof Code) return value.text
  if (typeof value === 'string') return printText(value)
  if (Array.isArray(value)) return `[${value.map(printLine).join(', ')}]`
  if (!isComposite(value)) return JSON.stringify(value)
  const members = entries(value).map(([name, member]) => `${printKey(name)}: ${printLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Code)
}

function entries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined)
}

/** Prints a name as the key of a literal or a type. */
export function printKey(name: string): string {
  return /^(?:[A-Za-z_$][\w$]*|0|[1-9]\d*)$/.test(name) && name !== '__proto__' ? name : printText(name)
}
