/**
 * Function words of languages in Latin script that have no stemmer here, so that a text in one of them is not taken for a
 * neighbour: Turkish, Vietnamese, Polish, Czech, Swedish, Danish and Norwegian, Finnish, Hungarian, Romanian, Indonesian,
 * Swahili, Tagalog. Written for this package from the grammar of each. Words that English has too are left out.
 */
export const OTHER_WORDS: readonly string[] = [
  've bir bu şu için ile çok mi mı mu mü değil var yok ama daha gibi olarak olan sonra önce kadar ki hangi kaç kim kimin',
  'nasıl nerede nereye neden niçin şey ben sen biz siz onlar oldu olduğu etti tarafından ise veya ya hiç her göre olmak',
  'là của và có không được trong cho với một những các này đã đang sẽ người khi ở tôi bạn gì nào đâu ai sao bao nhiêu từ',
  'như thì mà để về vào ra cũng rất',
  'w z nie się jest że jak czy ale po od dla przez ma mam był była było są gdzie kiedy kto jaki jaka jakie który która',
  'które mój moja moje jego jej ich tym tego oraz',
  'je se že proč při byl byla jsou jsem kde kdy jaký jaká který která můj také nebo jeho podle',
  'och att det som ett är på för av inte jag du han hon vi har när vad vem hur min mitt mina till från eller om',
  'og et er af ikke jeg hun når hvad hvem hvordan hvor hva mit fra hvilken hvilket noe være blev ble',
  'ja ei se että hän oli mutta kun mitä missä milloin kuka minä sinä minun niin kuin myös tai ovat joka mikä',
  'az és hogy nem van egy ez hol mikor már csak meg volt én ő vagy mint milyen melyik ki',
  'și în să cu pe că ce din mai sunt cum când unde cine pentru care este',
  'yang dan di ke dari untuk dengan ini itu tidak saya kamu dia adalah ada apa siapa kapan bagaimana pada akan sudah',
  'ya wa ni kwa katika hii yake nini wapi lini ang ng mga ay ko mo siya ito kung hindi',
];
