import type { PageTexts } from 'authgraph/service'

export const germanTexts: PageTexts = {
  dir: 'ltr',
  scopes: {
    'orders:read': 'Ihre Bestellungen ansehen',
    'orders:admin': 'Alle Bestellungen ändern und löschen',
  },

  connect: 'Gerät verbinden',
  enter:
    'Geben Sie den Code ein, den Ihr Gerät anzeigt. Kleinbuchstaben sind erlaubt, der Bindestrich kann fehlen.',
  enterCaution:
    'Wenn Ihnen jemand einen Code geschickt hat, schließen Sie diese Seite: Diese Person bekäme sonst Zugriff auf Ihr Konto.',
  compareTitle: 'Code vergleichen',
  compare:
    'Zeigt *Ihr eigenes* Gerät gerade diesen Code an? Wenn nicht, schließen Sie diese Seite.',
  compareCaution:
    'Schließen Sie sie auch, wenn Ihnen jemand den Code oder einen Link geschickt hat: Diese Person bekäme sonst Zugriff auf Ihr Konto.',
  code: 'Code',
  continue: 'Weiter',

  confirmTitle: '{client} verbinden?',
  confirm:
    'Stimmen Sie nur zu, wenn Sie das selbst gestartet haben, auf einem Gerät vor Ihnen, das diesen Code anzeigt:',
  confirmCaution:
    'Wenn Ihnen jemand den Code oder einen Link geschickt hat, wählen Sie Ablehnen: Diese Person bekäme sonst Zugriff auf Ihr Konto.',
  permissions: '{client} darf dann',
  noScopes: 'Nur öffentliche Informationen ansehen',
  unknownScope: 'Eine Berechtigung namens {scope} nutzen',
  risky: 'Hohes Risiko',
  request: 'Die Anfrage',
  app: 'App',
  unverified: 'Nennt sich {name}. Niemand hat diesen Namen geprüft.',
  published:
    'Nennt sich {name} bei {host}. Niemand hat diesen Namen geprüft.',
  resource: 'Für die Nutzung bei',
  requested: 'Gestellt',
  device: 'Gerät',
  claim: 'Nennt sich {name}',
  address: 'IP-Adresse',
  account: 'Ihr Konto',
  approve: 'Zustimmen',
  deny: 'Ablehnen',

  approved: {
    title: 'Ihr Gerät ist verbunden',
    text: 'Es macht in wenigen Sekunden von selbst weiter. Sie können dieses Fenster schließen und zu Ihrem Gerät zurückkehren.',
  },
  denied: {
    title: 'Sie haben die Anfrage abgelehnt',
    text: 'Das Gerät hat keinen Zugriff auf Ihr Konto. Sie können dieses Fenster schließen.',
  },
  deniedAdvice:
    'Wenn Sie das nicht selbst gestartet haben, wollte jemand Zugriff auf Ihr Konto. Geben Sie nie einen Code ein, den Ihnen jemand schickt. Falls Sie das schon einmal getan haben, ändern Sie Ihr Passwort und melden Sie Ihre anderen Geräte ab.',

  refusals: {
    missing: {
      title: 'Kein Code eingegeben',
      text: 'Geben Sie die acht Buchstaben ein, die Ihr Gerät anzeigt.',
    },
    unknown: {
      title: 'Unbekannter Code',
      text: 'Vergleichen Sie ihn mit dem Code auf Ihrem Gerät und korrigieren Sie ihn.',
    },
    expired: {
      title: 'Dieser Code ist abgelaufen',
      text: 'Beginnen Sie auf Ihrem Gerät von vorn und geben Sie hier den neuen Code ein.',
    },
    decided: {
      title: 'Dieser Code wurde schon verwendet',
      text: 'Jeder Code gilt nur einmal. Wenn Ihr Gerät noch wartet, beginnen Sie dort von vorn, um einen neuen Code zu erhalten.',
    },
    opened: {
      title: 'Dieser Code ist anderswo geöffnet',
      text: 'Nur das Konto und der Browser, die ihn zuerst geöffnet haben, können entscheiden. Wenn es nicht Ihre sind, beginnen Sie auf Ihrem Gerät von vorn und geben Sie hier den neuen Code ein.',
    },
    linked: {
      title: 'Tippen Sie den Code ein',
      text: 'Tippen Sie den Code ein, den das Gerät vor Ihnen gerade anzeigt. Wenn Ihnen jemand den Code oder einen Link geschickt hat, schließen Sie diese Seite.',
    },
    policy: {
      title: 'Diese Anmeldung ist nicht erlaubt',
      text: 'Die Regeln dieses Dienstes haben sie abgelehnt, und das Gerät hat keinen Zugriff auf Ihr Konto. Wenn Sie das selbst gestartet haben, fragen Sie Ihren Administrator.',
    },
    forged: {
      title: 'Diese Seite war veraltet',
      text: 'Nichts wurde bestätigt oder abgelehnt. Es hat sich jemand anderes angemeldet, die Seite war zu lange geöffnet, oder Cookies sind ausgeschaltet. Geben Sie den Code noch einmal ein.',
    },
    limited: {
      title: 'Zu viele Versuche',
      text: 'Vergleichen Sie den Code mit dem auf Ihrem Gerät, bevor Sie es noch einmal versuchen.',
    },
  },
  retry: 'Sie können es {time} wieder versuchen.',
  unavailable: {
    title: 'Der Dienst ist nicht erreichbar',
    text: 'Das liegt nicht an Ihnen. Versuchen Sie es gleich noch einmal mit demselben Code.',
  },
  tryAgain: 'Noch einmal versuchen',

  signedOut: {
    title: 'Melden Sie sich an, um fortzufahren',
    text: 'Sie sind nicht mehr angemeldet. Nichts wurde bestätigt oder abgelehnt. Melden Sie sich an und fahren Sie mit demselben Code fort.',
  },
  signIn: 'Anmelden',
  stepUp: {
    title: 'Bestätigen Sie, dass Sie es sind',
    text: 'Noch wurde nichts bestätigt. Weisen Sie sich aus, vergleichen Sie dann den Code und stimmen Sie noch einmal zu.',
  },
  signedIn: 'Angemeldet als {user}.',
  notYou: 'Nicht Sie?',
  help: 'Hilfe',
}
