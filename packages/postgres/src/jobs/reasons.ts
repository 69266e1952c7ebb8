// Reports show these sentences next to the phase of a job.

/** The keys are the phases in which jobs can expire. */
export const EXPIRED = {
  queued: 'Its deadline passed before it was submitted.',
  waiting: 'Its deadline passed while it was at the service, where it may still finish and be charged.',
} as const

export const CANCELED = {
  unsent: 'Canceled before it was submitted.',
  atService: 'Canceled at the service.',
  gone: 'Canceled. The service no longer knows the job.',
  hereOnly: 'No longer awaited. The service cannot cancel work, so the job may still finish and be charged.',
} as const

export const ABANDONED = 'A person abandoned the job.'

export const NO_RESPONSE =
  'The worker that was sending the request got no response for too long. The service may have accepted the request.'

export const SENDER_DIED =
  'The worker that was sending the request died before it recorded the response. The service may have accepted and ' +
  'charged the request, so it is not sent again.'
