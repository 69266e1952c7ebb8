import { readFileSync } from 'node:fs'

import { SERVICE_NAMES, SERVICES, type ServiceName } from './services.ts'

/** A choice of the emulator, as CHOICES.md lists it. */
interface ListedChoice {
  readonly name: string
  readonly signature: string
  /** The choice's docstring: what the service's documentation doesn't say, and what the emulator does by default. */
  readonly about: string
  /** The default as written in the code. If the default is a function, only the word `function`. */
  readonly default: string
}

/** Reads the choices of each service from the package's CHOICES.md, which a test compares with the code. */
export function listChoices(
  services: readonly ServiceName[] = SERVICE_NAMES,
): Partial<Record<ServiceName, readonly ListedChoice[]>> {
  const page = readFileSync(new URL('../CHOICES.md', import.meta.url), 'utf8')
  return Object.fromEntries(services.map((name) => [name, choicesOf(page, SERVICES[name].cliName)]))
}

function choicesOf(page: string, service: string): ListedChoice[] {
  const [, table = ''] = new RegExp(`<!-- choices of ${service} -->(.*?)<!-- /`, 's').exec(page) ?? []
  return [...table.matchAll(/^\| `(\w+)` \| `(.*?)` \| (.*) \| (.*) \|$/gm)].map(
    ([, name = '', signature = '', about = '', value = '']) => ({
      name,
      signature: signature.replaceAll('\\|', '|'),
      about: about.replaceAll('`', '').replaceAll('\\|', '|'),
      default: value.replaceAll('`', ''),
    }),
  )
}

export function showChoices(choices: ReturnType<typeof listChoices>): string {
  const parts = Object.entries(choices).map(([name, list]) => {
    const widest = Math.max(...list.map((choice) => choice.name.length))
    const lines = list.map(
      (choice) =>
        `  ${choice.name.padEnd(widest)}  ${choice.about} Default: ${choice.default}\n  ${' '.repeat(widest)}  ${choice.signature}`,
    )
    return `${name}\n${lines.join('\n')}\n`
  })
  return `${parts.join('\n')}\nTo override choices, use --choices FILE with a module such as: export default { extraction: { ... } }\n`
}
