import type { ServiceNames } from './names.ts'

/** Existing files that no generator updates, each with a function that adds the entries of a new service. */
export const EDITED: Readonly<Record<string, (text: string, names: ServiceNames) => string>> = {
  'packages/emulator/src/services.ts': addToServices,
  'packages/emulator/src/index.ts': addToIndex,
  'packages/emulator/CHOICES.md': addChoices,
  'examples/package.json': addDependencies,
}

function addToServices(text: string, { name, Name, camel, UPPER, Words }: ServiceNames): string {
  const imports = `import {\n  type Emulated${Name},\n  type Served${Name},\n  ${UPPER}_MODULE,\n  type ${Name}Options,\n} from './${name}/service.ts'\n`
  const entry = `  /** ${Words}. */\n  readonly ${camel}: { options: ${Name}Options; emulated: Emulated${Name}; served: Served${Name} }\n`
  return [
    { declaration: /^import type \{ ServiceModule \}.*\n/gm, added: imports },
    { declaration: /^export interface Services \{\n.*?(?=^\}$)/gms, added: entry },
    { declaration: /^export const SERVICES: .*?(?=^\}$)/gms, added: `  ${camel}: ${UPPER}_MODULE,\n` },
  ].reduce((changed, { declaration, added }) => insertAfter(changed, declaration, added), text)
}

function addToIndex(text: string, { name, Name }: ServiceNames): string {
  return `${text}
export { default${Name}Choices } from './${name}/choices.ts'
export type { ${Name}Choices, ${Name}Success } from './${name}/choices.ts'
export type { ${Name}Control, ${Name}State } from './${name}/control.ts'
export type { Emulated${Name}, ${Name}Options, Served${Name} } from './${name}/service.ts'
export type { ${Name}DenialFacts, ${Name}DenialKind } from './${name}/denials.ts'
`
}

/** Adds the comments that enclose a table of choices. The emulator's test of CHOICES.md fills in the table. */
function addChoices(text: string, { name, Words }: ServiceNames): string {
  return `${text.trimEnd()}\n\n## ${Words}\n\n<!-- choices of ${name} -->\n<!-- /choices of ${name} -->\n`
}

function addDependencies(text: string, { name }: ServiceNames): string {
  const manifest = JSON.parse(text) as { dependencies: Record<string, string> }
  const dependencies = {
    ...manifest.dependencies,
    [`@concord/${name}`]: 'workspace:^',
    [`@concord/${name}-validators`]: 'workspace:^',
  }
  const sorted = Object.entries(dependencies).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `${JSON.stringify({ ...manifest, dependencies: Object.fromEntries(sorted) }, null, 2)}\n`
}

function insertAfter(text: string, declaration: RegExp, added: string): string {
  if (text.match(declaration)?.length !== 1)
    throw new Error(
      `The form of packages/emulator/src/services.ts has changed: ${declaration} doesn't match exactly once. Correct tools/new-service/src/registry.ts.`,
    )
  return text.replace(declaration, (found) => found + added)
}
