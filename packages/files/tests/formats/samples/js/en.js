// A comment with a 'string'
import { other } from './other.js'
export default {
  title: 'It\'s the pump & more',
  'quoted-key': "Read \"them\", caf\u00e9 \u{1F600}!",
  menu: { open: `Open ${count > 1 ? `${count} files` : 'a file'} now`, list: ['Save it'] },
  joined: 'One part, ' +
    'another part, ' + name + ' and the end.',
  call: t('not this'), choice: a ? 'Not this' : 'Nor this',
  method(n) { return { x: 'Not this' } },
  arrow: (n) => `Not ${n} this`,
  pattern: /["'`]/g, number: 12, icon: 'logo.png', ...other,
}
