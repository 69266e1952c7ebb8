import { EmulatorOptionsError } from '../core/errors.ts'
import { randomUuid, type RandomSource } from '../core/random.ts'
import type { StorageAuthChoices } from './choices.ts'
import type { NewStorageAccount, StorageAccount } from './model.ts'

/** The people who can sign in. */
export interface Accounts {
  /** @throws EmulatorOptionsError where there is an account with this address already. */
  add(account: NewStorageAccount): StorageAccount
  find(email: string): StorageAccount | undefined
  /** @throws EmulatorOptionsError where there is none. */
  demand(email: string): StorageAccount
  all(): StorageAccount[]
  clear(): void
}

/** Makes an empty set of accounts. */
export function createAccounts(random: RandomSource, choices: StorageAuthChoices): Accounts {
  const accounts = new Map<string, StorageAccount>()
  const find = (email: string) => accounts.get(choices.normalizeEmail(email))
  return {
    add({ email, password, image, ...given }) {
      if (find(email)) throw new EmulatorOptionsError(`There is an account ${email} already.`)
      const account: StorageAccount = {
        id: given.id ?? randomUuid(random),
        email,
        ...(password === undefined ? {} : { password }),
        name: given.name ?? email.replace(/@.*$/s, ''),
        ...(image === undefined ? {} : { image }),
        organizationId: given.organizationId ?? 'org-north',
        role: given.role ?? 'member',
        workspaces: given.workspaces ?? [],
      }
      accounts.set(choices.normalizeEmail(email), account)
      return account
    },
    find,
    demand(email) {
      const account = find(email)
      if (!account) throw new EmulatorOptionsError(`There is no account ${email}.`)
      return account
    },
    all: () => [...accounts.values()],
    clear: () => accounts.clear(),
  }
}
