import type { ServiceModel } from '../normalize/model.ts'
import { asObject, isObject } from '../read/json.ts'
import { printLiteral } from './literal.ts'
import { comment, header } from './text.ts'

/** facts.gen.ts: the facts of a contract (`x-facts`), each as a constant; undefined without any. */
export function factsFile(model: ServiceModel): string | undefined {
  const [contract] = model.sources
  const facts = contract?.value['x-facts']
  if (contract === undefined || !isObject(facts)) return undefined
  const constants = Object.entries(facts).map(([name, fact]) => {
    const { description, value } = asObject(fact)
    return (
      comment([String(description), `@see \`${contract.file}#/x-facts/${name}\``]) +
      `export const ${name} = ${printLiteral(value, '', name.length + 24)} as const\n`
    )
  })
  return `${header(model)}\n${constants.join('\n')}`
}
