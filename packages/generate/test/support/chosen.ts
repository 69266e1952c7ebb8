import { inject } from 'vitest'

import { services as all } from './services.ts'

const chosen = inject('service')

/** The services that the tests of every service run on: the service of the task `test:service`, or else all services. */
export const services = chosen === undefined ? all : all.filter(({ name }) => name === chosen)
