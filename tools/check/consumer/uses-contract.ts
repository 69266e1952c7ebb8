import * as contract from '@concord/contract'

export const coverage: object = contract
