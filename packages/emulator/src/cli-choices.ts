import { readFileSync } from 'node:fs'

import { SERVICE_NAMES, SERVICES, type ServiceName } from './services.ts'

/** A choice of the emulator, as CHOICES.md lists it. */
export interface ListedChoice {
  readonly name: string
  /** With its parameters and its type, as TypeScript writes it. */
  readonly signature: string
  /** The open question, and the emulator's answer to it. */
  readonly about: string
  /** As written in the code; `function` for a function. */
  readonly default: string
}

/** The choices of each service, from the page that comes with the package and is held to the code. */
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

/** The same for people. */
export function showChoices(choices: ReturnType<typeof listChoices>): string {
  const parts = Object.entries(choices).map(([name, list]) => {
    const widest = Math.max(...list.map((choice) => choice.name.length))
    const lines = list.map(
      (choice) =>
        `  ${choice.name.padEnd(widest)}  ${choice.about} Default: ${choice.default}\n  ${' '.repeat(widest)}  ${choice.signature}`,
    )
    return `${name}\n${lines.join('\n')}\n`
  })
  return `${parts.join('\n')}\nReplace them with --choices FILE, a module: export default { extraction: { ... } }\n`
}
