import type { Messages } from './types'

interface Props { kind: 'not this' }
type Other = { kind: 'nor this' }

export const en: Record<string, string> = {
  hello: 'Hello {name}, hello',
  plural: 'one car | {n} cars',
} as const satisfies Messages

const rest = defineMessages({ bye: { id: 'app.bye', defaultMessage: 'Good bye, all' } })
export default rest
