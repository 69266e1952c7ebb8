import type { Contract } from '../read/contract.ts'
import { type Json, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { isBytes } from './schema.ts'

/**
 * Finds the components that describe multipart forms. Only there a string of bytes means bytes to send, so
 * such a component cannot be used anywhere else too.
 */
export function findForms(contract: Contract): ReadonlySet<string> {
  const forms = new Set<string>()
  const others: { name: string; pointer: string }[] = []
  const visit = (value: Json, pointer: string, isForm: boolean): void => {
    if (isList(value)) value.forEach((item, index) => visit(item, childPointer(pointer, index), false))
    if (!isObject(value)) return
    const target = typeof value['$ref'] === 'string' ? contract.component(value['$ref']) : undefined
    if (target && isForm) forms.add(target.name)
    else if (target) others.push({ name: target.name, pointer })
    for (const [key, child] of Object.entries(value)) {
      if (key === 'examples' || key === 'example' || key.startsWith('x-')) continue
      visit(child, childPointer(pointer, key), key === 'schema' && pointer.endsWith('/multipart~1form-data'))
    }
  }
  visit(contract.root, '#', false)
  for (const { name, pointer } of others) {
    const form = contract.schemas[name]
    const properties = isObject(form) && isObject(form['properties']) ? Object.values(form['properties']) : []
    if (!forms.has(name) || !properties.some(isBytes)) continue
    contract.refuse(
      pointer,
      `\`${name}\` is a form with bytes in it; it cannot be used outside of multipart/form-data too`,
    )
  }
  return forms
}
