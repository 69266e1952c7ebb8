import type { Contract, ContractNode } from '../read/contract.ts'
import { schemaDoc } from './definitions.ts'
import { familyOf } from './families.ts'
import { globalTypeNames, typeNamePattern } from './names.ts'
import type { PlainSchema } from './rules.ts'

type Read = (schema: ContractNode) => PlainSchema

export function defineComponents(contract: Contract, read: Read): void {
  const { schemas } = contract.definitions
  for (const [key, node] of contract.schemas.members()) {
    const name = contract.nameOf(node.pointer)
    if (!typeNamePattern.test(key))
      node.note(
        `the name \`${key}\` isn't in PascalCase, or has characters other than ASCII letters and digits; its type is called \`${name}\``,
      )
    else if (globalTypeNames.has(key))
      node.note(`the generated files need the name \`${key}\` themselves; this type is called \`${name}\``)
    else if (name !== key) node.note(`the type \`${key}\` is defined twice; this one is called \`${name}\``)
    const schema = read(node)
    const family = familyOf(contract, node.value)
    if (family) schemas.set(family.base, schema)
    schemas.set(name, family ? { ...schemaDoc(schema), ...family.union } : schema)
  }
}

/** Defines a type for every schema that is the target of a reference but not a component. */
export function defineReferred(contract: Contract, read: Read): void {
  const { referred, schemas } = contract.definitions
  for (const { found, name, owner } of referred)
    if (owner === contract && !schemas.has(name)) schemas.set(name, read(contract.nodeOf(found)))
}
