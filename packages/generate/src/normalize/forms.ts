import type { Contract } from '../read/contract.ts'
import type { Found } from '../read/documents.ts'
import { type Json, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { isBytes } from './schema.ts'

/**
 * Finds the components that describe multipart forms, by their pointers. Only there a string of bytes means bytes to send, so
 * such a component cannot be used anywhere else too.
 */
export function findForms(contract: Contract): ReadonlySet<string> {
  const forms = new Set<string>()
  const others: { form: Found; pointer: string }[] = []
  const visit = (value: Json, pointer: string, isForm: boolean): void => {
    if (isList(value)) value.forEach((item, index) => visit(item, childPointer(pointer, index), false))
    if (!isObject(value)) return
    const form = typeof value['$ref'] === 'string' ? contract.target(value) : undefined
    if (form && isForm) forms.add(form.pointer)
    else if (form) others.push({ form, pointer })
    for (const [key, child] of Object.entries(value)) {
      if (key === 'examples' || key === 'example' || key.startsWith('x-')) continue
      visit(child, childPointer(pointer, key), key === 'schema' && pointer.endsWith('/multipart~1form-data'))
    }
  }
  visit(contract.root, '#', false)
  for (const { form, pointer } of others) {
    const { raw } = form
    const properties = isObject(raw) && isObject(raw['properties']) ? Object.values(raw['properties']) : []
    if (!forms.has(form.pointer) || !properties.some(isBytes)) continue
    contract.widen(
      pointer,
      `\`${form.pointer.slice(form.pointer.lastIndexOf('/') + 1)}\` is a form with bytes in it; it cannot be used outside of multipart/form-data too`,
    )
  }
  return forms
}
