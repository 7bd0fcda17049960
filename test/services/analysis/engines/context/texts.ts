/** Texts written for the tests, by kind and language. */
export const TEXTS = {
  calmNewsEn: `City council approves new tram line to the university

The city council approved a new tram line on Monday evening, according to minutes published on its website. The 6.2 kilometre line will connect the central station with the university campus and is expected to open in 2029.

Mayor Helen Brandt said the project would cost 148 million euros, of which 60 percent will come from the national transport fund. "We looked at three routes and this one serves the most residents," Brandt told reporters after the vote.

Two council members voted against the plan. Tom Ruiz, who represents the eastern district, said the traffic study from 2024 did not cover the new housing area. The transport department announced that it would publish an updated study in March.

Construction is due to start next autumn, a spokeswoman for the department said. During the first phase, buses will replace trams between the station and the market square.`,
  calmNewsRo: `Consiliul local a aprobat o nouă linie de tramvai spre universitate

Consiliul local a aprobat luni seară construirea unei noi linii de tramvai, potrivit procesului-verbal publicat pe site-ul primăriei. Linia de 6,2 kilometri va lega gara centrală de campusul universității și ar urma să fie deschisă în 2029.

Primarul Elena Brândușă a declarat că proiectul va costa 148 de milioane de lei, din care 60 la sută vor veni din fondul național pentru transport. „Am analizat trei trasee, iar acesta deservește cei mai mulți locuitori”, a spus Brândușă după vot.

Doi consilieri au votat împotrivă. Tudor Rusu, reprezentantul cartierului de est, a precizat că studiul de trafic din 2024 nu a inclus noua zonă de locuințe. Direcția de transport a anunțat că va publica în luna martie un studiu actualizat.

Lucrările ar urma să înceapă la toamnă, a transmis Ioana Pop, purtătoare de cuvânt a direcției. În prima etapă, autobuzele vor înlocui tramvaiele între gară și piață.`,
  chainLetterEn: `URGENT!!! SHARE THIS BEFORE THEY DELETE IT!!!

A nurse who works at the city hospital told me what the media won't tell you. They are HIDING THE TRUTH about the new vaccine! Eight out of ten patients got sick after the second dose and the doctors were ordered to keep quiet. This is a secret plan of the elites and they don't want you to know!!!

Wake up people! Our children are in danger. Send this to everyone you know, before it is too late. Forward this to at least ten friends TODAY!`,
  chainLetterRo: `URGENT!!! DAȚI MAI DEPARTE PÂNĂ NU SE ȘTERGE!!!

O asistentă care lucrează la spitalul județean mi-a spus ce televiziunile nu vă spun. NI SE ASCUNDE ADEVĂRUL despre noul vaccin! Opt din zece pacienți s-au îmbolnăvit după a doua doză, iar medicii au primit ordin să tacă. Este planul secret al elitelor și nu vor să știți!!!

Treziți-vă, oameni buni! Copiii noștri sunt în pericol. Trimiteți tuturor prietenilor acest mesaj, înainte să fie prea târziu. Dați share ACUM!`,
  chainLetterRoPlain: `ATENTIE!!! Distribuiti pana nu se sterge!!!

Ni se ascunde adevarul despre banii din pensii. Un prieten care lucreaza la banca mi-a spus ca saptamana viitoare se inchid toate conturile si nimeni nu vorbeste despre asta. Televiziunile tac! Scoateti banii acum, inainte sa fie prea tarziu!!!

Trimiteti mai departe la toata lista, sa afle toata lumea. TREZITI-VA!!!`,
  opinionEn: `I think the school reform deserves a second look. In my opinion the ministry moved too fast, and we should ask whether every change is needed. I believe teachers were not consulted enough, and personally I would have started with smaller classes. We must be honest about the cost. It seems to me that a slower plan would serve pupils better.`,
  opinionRo: `Cred că reforma școlară merită privită din nou. În opinia mea, ministerul s-a grăbit și ar trebui să ne întrebăm dacă fiecare schimbare este necesară. Consider că profesorii nu au fost consultați suficient, iar eu aș fi început cu clase mai mici. Din punctul meu de vedere, un plan mai lent i-ar ajuta mai mult pe elevi.`,
  satireEn: `Area man declares himself president of his own balcony

A local man has proclaimed a republic on the third floor. The new state has two chairs and a plant. Neighbours are said to be negotiating a trade treaty involving tomatoes. The army consists of one cat.

This article is satire. It was written for the humour pages of our site.`,
  satireRo: `Un bărbat și-a declarat balconul republică independentă

Noul stat are două scaune și o mușcată. Vecinii negociază un tratat comercial privind roșiile. Armata este formată dintr-o pisică, iar ministrul apărării doarme de obicei până la prânz.

(Pamflet)`,
  aboutSatireEn: `Court hears appeal of a satire magazine

The appeals court heard arguments on Tuesday in the case of a satire magazine that was fined in 2023. The magazine's lawyer, Dana Fox, said the fine was out of proportion. The prosecutor told the judges that the magazine had ignored two court orders, according to the court file. A decision is expected in June, a court spokesman said.`,
  advertEn: `Order now and get free shipping! Our product helps you sleep better from the first night. Limited time offer: 40% discount with promo code SLEEP. Money back guarantee. Add to cart today, this special offer ends on Sunday. Price only 29 euros.`,
  advertRo: `Comandă acum și primești transport gratuit! Produsul nostru te ajută să dormi mai bine din prima noapte. Ofertă limitată: reducere de 40% cu cod promoțional SOMN. Garanția returnării banilor. Adaugă în coș astăzi, oferta specială se termină duminică. Prețul este de numai 129 de lei.`,
  recipeEn: `Preheat the oven to 180 degrees. Mix two cups of flour with one teaspoon of salt and three tablespoons of sugar. Stir in the butter and knead the dough in a large bowl. Bake for 35 minutes. Add pepper to taste and serve with garlic butter.`,
  recipeRo: `Ingrediente: două căni de făină, o linguriță de sare, trei linguri de zahăr și untul. Se amestecă făina cu sarea, apoi se adaugă untul. Aluatul se lasă în castron 30 de minute. Se coace în cuptorul încins timp de 35 de minute. Se servește cu usturoi, după gust.`,
  scienceEn: `Abstract. We measured sleep in 412 participants over six weeks. Methods: participants were randomized to an intervention or a control group. Results: sleep duration increased by 23 minutes (confidence interval 11 to 35), a statistically significant difference. In this study the correlation between age and response was weak. Our results agree with an earlier meta analysis (Larsen et al., 2021).`,
  pressReleaseEn: `FOR IMMEDIATE RELEASE. Northwind Systems, a leading provider of pumps, is pleased to announce the opening of its plant in Cluj. The plant will employ 120 people. Media contact: Ana Marin, press office.`,
  healthRo: `Ministerul Sănătății a anunțat că în ultima săptămână au fost raportate 214 cazuri de rujeolă. Potrivit medicilor, cei mai mulți pacienți sunt copii nevaccinați. Campania de vaccinare continuă în toate județele, a precizat ministrul Sănătății.`,
  electionsEn: `Polling stations opened at seven in the morning and turnout reached 31 percent by noon, the electoral commission said. Voters choose between two presidential candidates in the runoff. The first exit polls are expected at nine.`,
  warRo: `Armata ucraineană a anunțat că a doborât 27 de drone și patru rachete în cursul nopții. Atacul a vizat depozite din apropierea liniei frontului. Ministerul Apărării a precizat că nu există victime în rândul militarilor.`,
  sportEn: `The home team won the tennis tournament final on Sunday. The coach praised his players after a difficult season, and the match ended with a standing ovation in the stadium. It was the club's third medal this year, the league announced.`,
  economyRo: `Banca Națională a menținut dobânda de politică monetară la 6,5 la sută. Inflația a scăzut în ultimul trimestru, iar analiștii se așteaptă la o creștere a PIB de 1,4 la sută. Deficitul bugetar rămâne ridicat, potrivit datelor publicate de Ministerul Finanțelor.`,
} as const;

/** Short posts and notices in the manner of those that go round, written for the tests. */
export const POSTS: readonly { language: 'en' | 'ro'; kind: 'chain' | 'calm'; text: string }[] = [
  {
    language: 'ro',
    kind: 'chain',
    text: 'ATENȚIE ROMÂNI!!! Guvernul vrea să ne ia casele! Legea se votează mâine noaptea, pe ascuns, iar televiziunile tac. Nimeni nu vă spune adevărul. Dați share până nu e prea târziu, trebuie să afle toți românii!!! Trădătorii ne vând țara străinilor!',
  },
  {
    language: 'ro',
    kind: 'chain',
    text: 'Bună ziua, am primit asta de la o prietenă medic. De mâine se închid toate farmaciile și nu se mai găsesc medicamente. Cumpărați-vă din timp! Nu ignorați acest mesaj, trimiteți-l la toți cei dragi. Autoritățile ascund situația reală ca să nu creeze panică. E foarte urgent!',
  },
  {
    language: 'ro',
    kind: 'chain',
    text: 'ȘOC! Medicii au recunoscut: leacul care vindecă cancerul în 3 zile, ținut secret de marile companii farma! Distribuie acum, înainte ca Facebook să șteargă postarea! Au murit mii de oameni din cauza lor, criminalii!',
  },
  {
    language: 'en',
    kind: 'chain',
    text: 'BREAKING: The government is planning to shut down the internet next week!!! My uncle works for the military and he confirmed it. Stock up on food NOW. The mainstream media will never report this. Copy and paste this to your wall, do not just share. They are watching!',
  },
  {
    language: 'en',
    kind: 'chain',
    text: 'Doctors are furious: this simple kitchen spice cures diabetes overnight and Big Pharma has been hiding it for decades. Watch the video before it gets taken down! Share with your family now, it could save a life.',
  },
  {
    language: 'en',
    kind: 'chain',
    text: 'They think we are stupid. The vote was STOLEN and everybody knows it. Patriots, it is time to stand up against the corrupt elites who betrayed our country. Spread this everywhere before they censor us again!!!',
  },
  {
    language: 'ro',
    kind: 'calm',
    text: 'Administrația Națională de Meteorologie a emis o atenționare cod galben de vânt puternic, valabilă miercuri între orele 10 și 20. Vor fi afectate județele Constanța, Tulcea și Brăila, unde rafalele pot atinge 70 de kilometri pe oră. Meteorologii recomandă populației să evite adăpostirea sub copaci.',
  },
  {
    language: 'ro',
    kind: 'calm',
    text: 'Poliția caută o minoră de 15 ani, dispărută de luni de la domiciliul din Ploiești. Fata are 1,65 metri înălțime și părul șaten. Cine are informații este rugat să sune urgent la 112, a transmis IPJ Prahova.',
  },
  {
    language: 'ro',
    kind: 'calm',
    text: 'Orchestra filarmonicii din Cluj va susține vineri un concert cu lucrări de Enescu și Brahms. Dirijorul a explicat că programul a fost ales împreună cu tinerii muzicieni. Biletele costă între 30 și 80 de lei.',
  },
  {
    language: 'ro',
    kind: 'calm',
    text: 'Potrivit Institutului Național de Statistică, rata șomajului a fost de 5,4 la sută în iunie, în scădere cu 0,1 puncte față de luna precedentă. Numărul șomerilor a coborât la 445.000. Rata este mai mare în rândul tinerilor.',
  },
  {
    language: 'ro',
    kind: 'calm',
    text: 'Tribunalul București a dispus miercuri condamnarea fostului primar la patru ani de închisoare pentru luare de mită. Decizia nu este definitivă. Procurorii DNA au arătat că inculpatul a primit 40.000 de euro de la un om de afaceri.',
  },
  {
    language: 'en',
    kind: 'calm',
    text: 'The National Weather Service issued a tornado warning for three counties until 9 p.m. Residents should move to a basement immediately, the agency said. Two schools have opened as shelters.',
  },
  {
    language: 'en',
    kind: 'calm',
    text: 'Researchers at the university found that children who read for twenty minutes a day improved their vocabulary. The study, published in Nature Human Behaviour, followed 2,300 pupils for two years. Its authors caution that the effect may depend on the school.',
  },
  {
    language: 'en',
    kind: 'calm',
    text: 'The company reported quarterly revenue of 3.1 billion dollars, up 4 percent from a year earlier. Profit fell slightly because of higher energy costs, the chief financial officer said on a call with analysts. Shares closed 1.2 percent lower.',
  },
  {
    language: 'en',
    kind: 'calm',
    text: 'Mount Etna is an active stratovolcano on the east coast of Sicily. It is 3,357 metres high and covers an area of 1,190 square kilometres. The volcano has been in an almost constant state of activity for decades.',
  },
  {
    language: 'ro',
    kind: 'chain',
    text: 'Oameni buni, citiți până la capăt! De luni intră în vigoare o lege prin care statul poate să vă ia copiii dacă nu îi vaccinați. Parlamentul a votat noaptea, fără dezbatere. Nicio televiziune nu a spus un cuvânt! Rog mult share, poate ajunge la mame. Nu e glumă!!!',
  },
  {
    language: 'ro',
    kind: 'chain',
    text: 'URGENT! Apa din oraș este otrăvită, primăria știe de o săptămână și tace. Vecinul meu lucrează la regia de apă și a văzut analizele. Nu beți apă de la robinet! Dați mai departe tuturor cunoscuților!',
  },
  {
    language: 'ro',
    kind: 'chain',
    text: 'Soros și globaliștii au plătit protestele. Presa cumpărată nu vă arată asta. Uitați-vă bine la imagini și trageți singuri concluziile. Distribuiți înainte să ne închidă pagina!!',
  },
  {
    language: 'en',
    kind: 'chain',
    text: 'PLEASE READ!! Starting tomorrow Facebook will own all your photos and messages. It was on Channel 13 news. Copy this message to your wall to stop them. Even deleted pictures will be used in court. Better safe than sorry, pass it on!!',
  },
  {
    language: 'en',
    kind: 'chain',
    text: 'Do NOT drink the tap water in Springfield. The plant manager knows it is contaminated but the mayor ordered him to stay quiet. My sister saw the lab results. Tell everyone you love, people could die!',
  },
  {
    language: 'en',
    kind: 'chain',
    text: 'What they did to our elections is pure evil. Millions of fake ballots, dead people voting, and the corrupt press covers it all up. Retweet if you agree! We will not be silent any longer!!!',
  },
  {
    language: 'ro',
    kind: 'calm',
    text: 'Consiliul Județean Timiș a lansat licitația pentru modernizarea drumului dintre Lugoj și Făget. Valoarea estimată este de 64 de milioane de lei, iar termenul de execuție este de 24 de luni. Ofertele pot fi depuse până la 14 octombrie.',
  },
  {
    language: 'ro',
    kind: 'calm',
    text: 'Cercetătorii de la Universitatea Babeș-Bolyai au descris o specie nouă de gândac din Munții Apuseni. Descoperirea a fost publicată într-o revistă de specialitate. „Insecta trăiește doar în două peșteri”, a spus coordonatorul studiului.',
  },
  {
    language: 'en',
    kind: 'calm',
    text: 'Police are appealing for witnesses after a collision on the A14 on Thursday afternoon. A woman in her forties was taken to hospital with serious injuries. Anyone with dashcam footage is asked to call 101 immediately, Cambridgeshire Police said.',
  },
];
