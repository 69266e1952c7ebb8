import type { Contract } from '../read/contract.ts'
import type { Json } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { schemaDoc } from './definitions.ts'
import { familyOf } from './families.ts'
import { globalTypeNames, typeNamePattern } from './names.ts'
import type { PlainSchema } from './rules.ts'

type Read = (raw: Json, pointer: string) => PlainSchema

/** Defines the types of all components of a contract. */
export function defineComponents(contract: Contract, read: Read): void {
  const { schemas } = contract.definitions
  for (const [key, raw] of Object.entries(contract.schemas)) {
    const pointer = childPointer('#/components/schemas', key)
    const name = contract.nameOf(pointer)
    if (!typeNamePattern.test(key))
      contract.note(
        pointer,
        `the name \`${key}\` isn't in PascalCase with letters and digits only; its type is called \`${name}\``,
      )
    else if (globalTypeNames.has(key))
      contract.note(
        pointer,
        `the generated files need the name \`${key}\` themselves; its type is called \`${name}\``,
      )
    else if (name !== key)
      contract.note(pointer, `the type \`${key}\` is defined twice; this one is called \`${name}\``)
    const schema = read(raw, pointer)
    const family = familyOf(contract, raw)
    if (family) schemas.set(family.base, schema)
    schemas.set(name, family ? { ...schemaDoc(schema), ...family.union } : schema)
  }
}

/** Defines a type for every schema that is the target of a reference without being a component. */
export function defineReferred(contract: Contract, read: Read): void {
  const { referred, schemas } = contract.definitions
  for (const { found, name, owner } of referred)
    if (owner === contract && !schemas.has(name)) schemas.set(name, read(found.raw, found.pointer))
}
